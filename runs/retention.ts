import type { Config } from '../config/load.ts';
import { milliseconds } from '../text/duration.ts';
import { bytesOf } from '../text/size.ts';
import type { RunPlace } from './find.ts';
import { findGarbage, type Retention } from './garbage.ts';
import { removeGarbage } from './remove-garbage.ts';

/** What runs may leave behind, by the configuration; what it does not name is as `gc` has it. */
export const retentionOf = ({ runs, shards, most }: NonNullable<Config['retention']> = {}): Retention => ({
  olderThanMs: milliseconds(runs ?? '30d'),
  workAfterMs: shards === undefined ? 0 : milliseconds(shards),
  ...(most === undefined ? {} : { mostBytes: bytesOf(most) }),
});

const everyMs = 86_400_000;

/** When it is, in Unix milliseconds, and a wait that ends early when it is aborted. */
export type DayClock = { now: () => number; after: (ms: number, signal: AbortSignal) => Promise<unknown> };

/** Keeps a run store to its retention: now and once a day, until it is aborted. What cannot be removed today is tried tomorrow. */
export async function keepRetention(
  place: RunPlace,
  retention: Retention,
  { clock, report, signal }: { clock: DayClock; report: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const garbage = await findGarbage(place, retention, clock.now());
      for (const { path, bytes, why } of await removeGarbage(place, garbage)) report(`retention: removed ${path} (${why}, ${bytes} bytes)`);
    } catch (error) {
      report(`retention: ${(error as Error).message}; tried again in a day`);
    }
    await clock.after(everyMs, signal).catch(() => undefined);
  }
}
