import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../files/whole-file.ts';
import { wellFormed, type Json } from '../text/json.ts';
import type { RunStore } from './run-store.ts';

/** What a turn gave, by its number from 0. */
type TurnRow = { turn: number; row: { [name: string]: Json } };

type Store = Pick<RunStore, 'path'>;

/** Folder of the rows that the turns of a loop gave. */
export const rowsFolder = (store: Store, step: string): string => store.path('loops', step);

/** Writes a batch of a loop's rows whole; the same batch again replaces it. */
export const keepRows = (store: Store, step: string, batch: number, rows: readonly TurnRow[]): Promise<void> =>
  writeWhole(
    join(rowsFolder(store, step), `${String(batch).padStart(5, '0')}.jsonl`),
    rows.map(({ turn, row }) => `${JSON.stringify({ turn, row }, wellFormed)}\n`).join(''),
  );

/** The names of the batches, in their order. */
export const batchesOf = async (store: Store, step: string): Promise<string[]> =>
  (await readdir(rowsFolder(store, step)).catch((): string[] => [])).filter((name) => name.endsWith('.jsonl')).sort();

/** True of a path in turns of loops, such as `review[17].ask`, each of which gave a row: one that failed did not. A loop without rows says nothing of its turns. */
export async function gaveRow(store: Store, path: string): Promise<boolean> {
  const turns = [...path.matchAll(/\[(\d+)\]/g)];
  for (const { 1: turn, index } of turns) {
    const loop = path.slice(0, index);
    const batches = await batchesOf(store, loop);
    if (batches.length > 0 && !(await holdsTurn(store, loop, { batches, turn: turn! }))) return false;
  }
  return turns.length > 0;
}

async function holdsTurn(store: Store, loop: string, { batches, turn }: { batches: readonly string[]; turn: string }): Promise<boolean> {
  for (const batch of batches)
    if (`\n${await readFile(join(rowsFolder(store, loop), batch), 'utf8')}`.includes(`\n{"turn":${turn},`)) return true;
  return false;
}
