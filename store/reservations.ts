import type { RunStore } from './run-store.ts';

/** Money that is set aside before it may be spent, of all workers of a run store. Amounts are US dollars. */
export type Reservations = {
  /** Sets aside what an item may cost; `wait`: others may still cost less than was set aside for them; `never`: what is left is too little. */
  reserve(item: string, most: number): 'reserved' | 'wait' | 'never';
  /** What the item has cost in the end, in place of what was set aside. */
  commit(item: string, cost: number): void;
  close(): void;
};

/** Amounts are kept in billionths of a dollar, so that sums are exact. */
const nano = (usd: number): number => Math.round(usd * 1e9);

/**
 * Opens the reservations of a step under a cap in a database of the run store: what two workers reserve at the same time is compared by
 * one transaction after the other, and a kill leaves what was reserved.
 */
export async function openReservations(store: Pick<RunStore, 'path'>, step: string, total: number): Promise<Reservations> {
  const { mkdirSync } = await import('node:fs');
  const { DatabaseSync } = await import('node:sqlite');
  mkdirSync(store.path('reservations'), { recursive: true });
  const db = new DatabaseSync(store.path('reservations', `${step}.sqlite`));
  db.exec(`PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS reserved (item TEXT PRIMARY KEY, amount INTEGER NOT NULL, open INTEGER NOT NULL) STRICT;`);
  const known = db.prepare('SELECT 1 AS known FROM reserved WHERE item = ?');
  const sums = db.prepare('SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(open), 0) AS open FROM reserved');
  const set = db.prepare(
    'INSERT INTO reserved (item, amount, open) VALUES (?, ?, ?) ON CONFLICT (item) DO UPDATE SET amount = excluded.amount, open = excluded.open',
  );
  return {
    reserve(item, most) {
      db.exec('BEGIN IMMEDIATE');
      try {
        if (known.get(item)) return 'reserved';
        const { amount, open } = sums.get() as { amount: number; open: number };
        if (amount + nano(most) > nano(total)) return open > 0 ? 'wait' : 'never';
        set.run(item, nano(most), 1);
        return 'reserved';
      } finally {
        db.exec('COMMIT');
      }
    },
    commit: (item, cost) => void set.run(item, nano(cost), 0),
    close: () => db.close(),
  };
}
