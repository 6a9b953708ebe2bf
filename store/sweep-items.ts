import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { queryFiles, quoted, writeParquet } from './columnar.ts';
import type { RunStore } from './run-store.ts';

/** One item of a sweep: its name in the ledger, and the item itself, plain JSON. */
export type SweepItem = { key: string; item: unknown };

const fileOf = (store: RunStore, step: string, number: number, ending: string): string =>
  store.path('sweeps', step, `${String(number).padStart(5, '0')}.${ending}`);

/** Writes one part of the list of items whole; the same part again replaces it. */
export const writeSweepItems = (store: RunStore, step: string, part: number, items: readonly SweepItem[]): Promise<void> =>
  writeParquet(
    fileOf(store, step, part, 'parquet'),
    { key: { type: 'UTF8' }, item: { type: 'UTF8' } },
    items.map(({ key, item }) => ({ key, item: JSON.stringify(item) })),
  );

/** Items of one part in the order in which they were written. */
export async function readSweepItems(store: RunStore, step: string, part: number): Promise<SweepItem[]> {
  const file = quoted(fileOf(store, step, part, 'parquet'));
  const rows = await queryFiles<{ key: string; item: string }>(`select key, item from read_parquet(${file})`);
  return rows.map(({ key, item }) => ({ key, item: JSON.parse(item) as unknown }));
}

export type Progress<Fate> = {
  /** Items that were begun, by their number in the chunk, with their fate where they ended. */
  known: ReadonlyMap<number, Fate | 'begun'>;
  /** Written before this returns: what is begun is known whatever happens then. */
  begin(item: number): void;
  /** Takes a beginning back: nothing has happened. */
  withdraw(item: number): void;
  /** Written within the same turn of the event loop. */
  end(item: number, fate: Fate): void;
  close(): void;
};

/**
 * What a chunk has done so far, item by item, appended to a file: a chunk that is begun again after a kill takes up where it
 * was. A line reaches the file by one write and survives the end of the process, though not a power cut.
 */
export function openProgress<Fate>(store: RunStore, step: string, chunk: number): Progress<Fate> {
  const file = fileOf(store, step, chunk, 'jsonl');
  const known = new Map<number, Fate | 'begun'>();
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // A kill may cut the last line.
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      const [item, fate] = JSON.parse(line) as [number, (Fate | null)?];
      if (fate === null) known.delete(item);
      else known.set(item, fate ?? 'begun');
    } catch {
      continue;
    }
  }
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(file, 'a');
  let lines = text === '' || text.endsWith('\n') ? '' : '\n';
  let scheduled: NodeJS.Immediate | undefined;
  const flush = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    if (lines !== '') writeSync(handle, lines);
    lines = '';
  };
  return {
    known,
    begin(item) {
      lines += `${JSON.stringify([item])}\n`;
      flush();
    },
    withdraw(item) {
      lines += `${JSON.stringify([item, null])}\n`;
      flush();
    },
    end(item, fate) {
      lines += `${JSON.stringify([item, fate])}\n`;
      scheduled ??= setImmediate(flush);
    },
    close() {
      flush();
      closeSync(handle);
    },
  };
}
