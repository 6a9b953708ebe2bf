import { open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOfFile } from '../files/lines-of-file.ts';
import { writeWhole } from '../files/whole-file.ts';
import { wellFormed, type Json } from '../text/json.ts';
import type { RunStore } from './run-store.ts';

/** What a turn gave, by its number from 0. */
export type TurnRow = { turn: number; row: { [name: string]: Json } };

/** Where a row stands in its batch. */
export type RowPlace = { batch: string; at: number; bytes: number };

/** Bytes of rows that are read at a time, as JSON: a row may have megabytes, and a loop millions of rows. */
const bytesAtATime = 4_000_000;

type Store = Pick<RunStore, 'path'>;

/** Folder of the rows that the turns of a loop gave. */
const rowsFolder = (store: Store, step: string): string => store.path('loops', step);

/** Writes a batch of a loop's rows whole, as they come; the same batch again replaces it. */
export const keepRows = (store: Store, step: string, batch: number, rows: Iterable<TurnRow> | AsyncIterable<TurnRow>): Promise<void> =>
  writeWhole(join(rowsFolder(store, step), `${String(batch).padStart(5, '0')}.jsonl`), linesOf(rows));

async function* linesOf(rows: Iterable<TurnRow> | AsyncIterable<TurnRow>): AsyncGenerator<Buffer, void, undefined> {
  let lines = '';
  for await (const { turn, row } of rows) {
    lines += `${JSON.stringify({ turn, row }, wellFormed)}\n`;
    if (lines.length < bytesAtATime) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  yield Buffer.from(lines);
}

/** The names of the batches, in their order. */
export const batchesOf = async (store: Store, step: string): Promise<string[]> =>
  (await readdir(rowsFolder(store, step)).catch((): string[] => [])).filter((name) => name.endsWith('.jsonl')).sort();

/** The rows of a batch with their places, as many at a time as memory has room for. */
export async function* readKeptRows(store: Store, step: string, batch: string): AsyncGenerator<(TurnRow & RowPlace)[], void, undefined> {
  for await (const lines of linesOfFile(join(rowsFolder(store, step), batch), bytesAtATime))
    yield lines.map(({ at, bytes }) => ({ ...rowOf(bytes), batch, at, bytes: bytes.length }));
}

/** The rows at these places, in their order, as many at a time as memory has room for. */
export async function* readRowsAt(store: Store, step: string, places: readonly RowPlace[]): AsyncGenerator<TurnRow[], void, undefined> {
  for (let from = 0; from < places.length;) {
    let to = from;
    for (let bytes = 0; to < places.length && bytes < bytesAtATime; to++) bytes += places[to]!.bytes;
    yield rowsAt(rowsFolder(store, step), places.slice(from, to));
    from = to;
  }
}

async function rowsAt(folder: string, places: readonly RowPlace[]): Promise<TurnRow[]> {
  const rows = new Map<RowPlace, TurnRow>();
  for (const [batch, own] of Map.groupBy(places, (place) => place.batch)) {
    const file = await open(join(folder, batch));
    try {
      const from = Math.min(...own.map(({ at }) => at));
      const span = Math.max(...own.map(({ at, bytes }) => at + bytes)) - from;
      // Of short rows one reading for all of them: one each takes ten times as long.
      const all = span <= bytesAtATime ? await readAt(file, from, span) : undefined;
      for (const place of own) {
        const { at, bytes } = place;
        rows.set(place, rowOf(all?.subarray(at - from, at - from + bytes) ?? (await readAt(file, at, bytes))));
      }
    } finally {
      await file.close();
    }
  }
  return places.map((place) => rows.get(place)!);
}

async function readAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new Error('a row that a loop gave is cut off in the run store: the file was changed');
  return buffer;
}

const rowOf = (line: Buffer): TurnRow => JSON.parse(line.toString()) as TurnRow;

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
