import type { RunStore } from './run-store.ts';
import { verdictOn, verdictOnMore, type Purse, type Verdict } from './reservation-rule.ts';

/** Money that is set aside before it may be spent, of all workers of a run store. Amounts are US dollars. */
export type Reservations = {
  /** Sets aside what an item may cost; what was set aside for it before stays as it is. */
  reserve(item: string, most: number): Verdict;
  /** The same of an item that has spent so much and would go on: where it may not, what it has spent is all that is kept. */
  extend(item: string, spent: number, most: number): Verdict;
  /** Gives back what was set aside for an item that nothing was spent on. */
  release(item: string): void;
  /** What the item has cost in the end, in place of what was set aside. */
  commit(item: string, cost: number): void;
  /** Nobody knows what the item has cost, and it will not be known: what was set aside for it counts as spent. */
  settle(item: string): void;
  /** What was set aside or spent, by item. */
  amounts(): Map<string, number>;
  /** Counts these as spent, all or none of them, and one of the name `once`: where that is there they were counted before. */
  carry(spent: ReadonlyMap<string, number>, once: string): void;
  /** Counts these, and what is named `gone` no more: whoever else reserves finds all of it or none. One that is under way keeps what it has. */
  exchange(gone: Iterable<string>, counted: Iterable<Counted>): void;
  close(): void;
};

/** What an item counts that an earlier run has begun: what it has cost, or while it is under way what is set aside for it, however little is left. */
export type Counted = { item: string; amount: number; underWay: boolean };

/** Amounts are kept in billionths of a dollar, so that sums are exact. */
const nano = (usd: number): number => Math.round(usd * 1e9);

export const reservationsFile = (store: Pick<RunStore, 'path'>, name: string): string => store.path('reservations', `${name}.sqlite`);

/**
 * Opens the reservations under a cap in a database of the run store: what two workers reserve at the same time is compared by
 * one transaction after the other, and a kill leaves what was reserved.
 */
export async function openReservations(store: Pick<RunStore, 'path'>, name: string, total: number): Promise<Reservations> {
  const { mkdirSync } = await import('node:fs');
  const { DatabaseSync } = await import('node:sqlite');
  mkdirSync(store.path('reservations'), { recursive: true });
  const db = new DatabaseSync(reservationsFile(store, name));
  db.exec(`PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS reserved (item TEXT PRIMARY KEY, amount INTEGER NOT NULL, open INTEGER NOT NULL) STRICT;`);
  const known = db.prepare('SELECT 1 AS known FROM reserved WHERE item = ?');
  const sums = db.prepare('SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(open), 0) AS open FROM reserved');
  const sumsElse = db.prepare('SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(open), 0) AS open FROM reserved WHERE item <> ?');
  const set = db.prepare(
    'INSERT INTO reserved (item, amount, open) VALUES (?, ?, ?) ON CONFLICT (item) DO UPDATE SET amount = excluded.amount, open = excluded.open',
  );
  const keep = db.prepare('UPDATE reserved SET open = 0 WHERE item = ?');
  const drop = db.prepare('DELETE FROM reserved WHERE item = ? AND open = 1');
  const all = db.prepare('SELECT item, amount FROM reserved');
  const remove = db.prepare('DELETE FROM reserved WHERE item = ?');
  const decide = <T>(act: () => T): T => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const decided = act();
      db.exec('COMMIT');
      return decided;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
  return {
    reserve: (item, most) =>
      decide((): Verdict => {
        if (known.get(item)) return 'reserved';
        const verdict = verdictOn(sums.get() as Purse, nano(most), nano(total));
        if (verdict === 'reserved') set.run(item, nano(most), 1);
        return verdict;
      }),
    extend: (item, spent, most) =>
      decide((): Verdict => {
        const verdict = verdictOnMore(sumsElse.get(item) as Purse, { spent: nano(spent), most: nano(most) }, nano(total));
        if (verdict === 'reserved') set.run(item, nano(most), 1);
        else set.run(item, nano(spent), 0);
        return verdict;
      }),
    release: (item) => void drop.run(item),
    commit: (item, cost) => void set.run(item, nano(cost), 0),
    settle: (item) => void keep.run(item),
    amounts: () => new Map((all.all() as { item: string; amount: number }[]).map(({ item, amount }) => [item, amount / 1e9])),
    carry: (spent, once) =>
      decide(() => {
        if (known.get(once)) return;
        for (const [item, amount] of [...spent, [once, 0] as const]) set.run(item, nano(amount), 0);
      }),
    exchange: (gone, counted) =>
      decide(() => {
        for (const item of gone) remove.run(item);
        for (const { item, amount, underWay } of counted) if (!underWay || !known.get(item)) set.run(item, nano(amount), underWay ? 1 : 0);
      }),
    close: () => db.close(),
  };
}
