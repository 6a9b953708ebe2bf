import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Closings } from '../client/permits.ts';
import { bootId } from './identity.ts';
import { uptime } from '../text/uptime.ts';

/** One closing. `at`: its end on the machine's clock, in this boot; `until`: the same in Unix milliseconds, for after the next. */
type Mark = { limit: string; boot: string | undefined; at: number; until: number; ms: number };

/** What other processes have written is looked at no more often: it costs a listing. */
const lookAgainMs = 10;

/**
 * Which limits at a gate are closed, shared by all processes that use the folder: seen by those that run, and by those that
 * start after a crash. Each closing is a file of its own that is never written again, so none is lost to another
 * writer. The files hold no secret; a folder that cannot be read or written is as good as none.
 */
export function keptClosings(folder: string, gate: string): Closings {
  const place = join(folder, 'closed');
  const ours = `${createHash('sha256').update(gate).digest('hex').slice(0, 16)}-`;
  const boot = bootId();
  const known = new Map<string, Mark>();
  const mine = new Map<string, string>();
  let lookedAt = -Infinity;

  /** The end of a closing on this boot's clock. One by the wall clock, set back since, closes for no longer than was asked. */
  const endOf = (mark: Mark): number =>
    mark.boot !== undefined && mark.boot === boot ? mark.at : uptime() + Math.min(mark.ms, mark.until - Date.now());

  const read = (name: string): Mark | undefined => {
    try {
      const { at, ...mark } = JSON.parse(readFileSync(join(place, name), 'utf8')) as Mark;
      const end = endOf({ ...mark, at });
      if (end > uptime()) return { ...mark, boot, at: end };
      // Whatever it closed is open for everyone.
      rmSync(join(place, name), { force: true });
      return undefined;
    } catch {
      return undefined;
    }
  };
  /** One that cannot be removed now is removed by a later look. */
  const remove = (name: string): void => {
    try {
      rmSync(join(place, name), { force: true });
    } catch {
      // It is over all the same: nobody waits for it any more.
    }
  };
  const names = (): string[] => {
    try {
      return readdirSync(place).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  };
  const look = (): void => {
    if (uptime() < lookedAt + lookAgainMs) return;
    lookedAt = uptime();
    for (const name of names()) {
      if (known.has(name) || !name.startsWith(ours)) continue;
      const mark = read(name);
      if (mark) known.set(name, mark);
    }
    for (const [name, { at }] of known) {
      if (at > uptime()) continue;
      known.delete(name);
      remove(name);
    }
  };
  return {
    until(limit) {
      look();
      return Math.max(0, ...[...known.values()].flatMap((mark) => (mark.limit === limit ? [mark.at] : [])));
    },
    add(limit, at) {
      const ms = at - uptime();
      const name = `${ours}${randomUUID()}.json`;
      try {
        mkdirSync(place, { recursive: true, mode: 0o700 });
        // Reading removes what is over, of gates too that nobody passes any more.
        for (const each of names()) if (!known.has(each)) read(each);
        writeFileSync(join(place, `${name}.tmp`), JSON.stringify({ limit, boot, at, until: Date.now() + ms, ms } satisfies Mark));
        renameSync(join(place, `${name}.tmp`), join(place, name));
        const former = mine.get(limit);
        mine.set(limit, name);
        // The later closing stands for it.
        if (former !== undefined) rmSync(join(place, former), { force: true });
      } catch {
        // It holds in this process all the same.
      }
    },
  };
}
