import { dirname, join } from 'node:path';
import type { Json } from '../text/json.ts';
import { columnValue, commonKind, fieldOf, kindOf, type ColumnKind } from './column-kinds.ts';
import { writeGroups, type RowGroup } from './columnar.ts';
import { batchesOf, readKeptRows, readRowsAt, type RowPlace, type TurnRow } from './kept-rows.ts';
import { partName } from './part-name.ts';
import { resultsOf } from './results.ts';
import type { RunStore } from './run-store.ts';

type Store = Pick<RunStore, 'path'>;

type Row = TurnRow['row'];

/** What names the rows that a loop gave; with the rows themselves where they are few. */
type Table = { results: string; rows?: Row[] };

/** Rows of a loop, some at a time. */
type Rows = AsyncIterable<readonly TurnRow[]>;

/** Makes the table of a loop's rows as `makeTable` does, where they may be ten million: a file for each batch, whose rows are in order already. */
export async function makeTables(store: Store, step: string, columns: readonly string[], mostBytes: number): Promise<Table> {
  const results = resultsOf(store, step);
  const batches = await batchesOf(store, step);
  const { kinds, bytes } = await look(store, step, columns);
  const rows = bytes > mostBytes ? undefined : [];
  for (const [at, batch] of batches.entries()) await write(fileOf(results, at), kinds, readKeptRows(store, step, batch), rows);
  if (batches.length === 0) await write(fileOf(results, 0), kinds, none(), rows);
  return { results, ...(rows && { rows }) };
}

/**
 * Makes the table of a loop's rows, in the order of the turns, and returns what names it; with the rows themselves where their JSON has
 * at most so many bytes.
 */
export async function makeTable(store: Store, step: string, columns: readonly string[], mostBytes: number): Promise<Table> {
  const results = resultsOf(store, step);
  const places: (RowPlace & { turn: number })[] = [];
  const { kinds, bytes } = await look(store, step, columns, ({ turn, batch, at, bytes: own }) =>
    places.push({ turn, batch, at, bytes: own }),
  );
  const rows = bytes > mostBytes ? undefined : [];
  places.sort((one, other) => one.turn - other.turn);
  await write(fileOf(results, 0), kinds, readRowsAt(store, step, places), rows);
  return { results, ...(rows && { rows }) };
}

const fileOf = (results: string, part: number): string => join(dirname(results), partName(part));

async function* none(): AsyncGenerator<never, void, undefined> {}

type Kinds = ReadonlyMap<string, ColumnKind | undefined>;

/** Goes over all rows once: of what kind each column is, and how long they are as JSON. */
async function look(
  store: Store,
  step: string,
  columns: readonly string[],
  seen: (row: TurnRow & RowPlace) => void = () => undefined,
): Promise<{ kinds: Kinds; bytes: number }> {
  const kinds = new Map<string, ColumnKind | undefined>(columns.map((name) => [name, undefined]));
  let bytes = 0;
  for (const batch of await batchesOf(store, step))
    for await (const rows of readKeptRows(store, step, batch))
      for (const row of rows) {
        for (const name of columns) kinds.set(name, commonKind(kinds.get(name), kindOf(valueOf(row, name))));
        bytes += row.bytes;
        seen(row);
      }
  return { kinds, bytes };
}

/** Writes rows as one file of one type a column; adds them to `whole`, where that is given. */
const write = (path: string, kinds: Kinds, rows: Rows, whole: Row[] | undefined): Promise<void> =>
  writeGroups(path, Object.fromEntries([...kinds].map(([name, kind]) => [name, fieldOf(kind)])), groupsOf(kinds, rows, whole));

async function* groupsOf(kinds: Kinds, rows: Rows, whole: Row[] | undefined): AsyncGenerator<RowGroup, void, undefined> {
  for await (const some of rows) {
    for (const { row } of some) whole?.push(row);
    const values = [...kinds].map(([name, kind]) => [name, some.map((row) => columnValue(kind, valueOf(row, name)))] as const);
    yield { rows: some.length, values: Object.fromEntries(values) };
  }
}

/** Every object of JavaScript has something that is called `constructor`. */
const valueOf = ({ row }: TurnRow, name: string): Json | undefined => (Object.hasOwn(row, name) ? row[name] : undefined);
