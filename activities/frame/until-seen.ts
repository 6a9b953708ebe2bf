import { setTimeout as sleep } from 'node:timers/promises';
import { lagPauses } from '../../pipelines/steps/looks.ts';
import type { StepConnection, StepContext } from './context.ts';

/** What of a step's context it needs. */
type SeenContext = Pick<StepContext, 'signal'> & { connection: (service: 'maps') => Pick<StepConnection, 'lagMs'> };

/** Reads until what is read is as it should be, or until reads may not lag behind writes any more: then the last one is the truth. */
export async function untilSeen<T>({ connection, signal }: SeenContext, read: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  for (const pause of lagPauses(connection('maps').lagMs)) {
    const seen = await read();
    if (holds(seen)) return seen;
    await sleep(pause, undefined, { signal });
  }
  return read();
}
