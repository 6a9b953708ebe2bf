import { setTimeout as sleep } from 'node:timers/promises';
import { lagPauses } from '../../pipelines/steps/looks.ts';
import type { StepContext } from './context.ts';

/** Reads until what is read is as it should be, or until reads may not lag behind writes any more: then the last one is the truth. */
export async function untilSeen<T>({ connection, signal }: StepContext, read: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const deadline = performance.now() + connection('maps').lagMs;
  for (let pause: number = lagPauses.first; ; pause = Math.min(lagPauses.longest, pause * 2)) {
    const seen = await read();
    if (holds(seen) || performance.now() > deadline) return seen;
    await sleep(pause, undefined, { signal });
  }
}
