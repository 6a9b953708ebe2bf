import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Closings } from '../client/permits.ts';

/** By limit: until when (Unix ms) it is closed, and how long it was closed for. */
type Kept = { [limit: string]: { until: number; ms: number } };

/**
 * Keeps in a file which limits of a service are closed, so that a worker that starts after a crash waits as the one
 * before it was told. The file holds no secret; one that cannot be read or written is as good as none.
 */
export function keptClosings(folder: string, gate: string): Closings {
  const file = join(folder, 'closed', `${createHash('sha256').update(gate).digest('hex').slice(0, 16)}.json`);
  const read = (): Kept => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Kept;
    } catch {
      return {};
    }
  };
  return {
    read: () =>
      Object.entries(read()).flatMap(([limit, { until, ms }]) => {
        // A clock that was set back must not close a limit for longer than it was.
        const left = Math.min(ms, until - Date.now());
        return left > 0 ? [{ limit, ms: left }] : [];
      }),
    write(limit, ms) {
      const until = Date.now() + ms;
      const kept = Object.fromEntries(Object.entries(read()).filter(([, each]) => each.until > Date.now()));
      if ((kept[limit]?.until ?? 0) >= until) return;
      const temporary = `${file}.${process.pid}.tmp`;
      try {
        mkdirSync(join(folder, 'closed'), { recursive: true });
        writeFileSync(temporary, JSON.stringify({ ...kept, [limit]: { until, ms } } satisfies Kept));
        renameSync(temporary, file);
      } catch {
        // It holds in this process all the same.
      }
    },
  };
}
