import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { temporaryName } from '../files/whole-file.ts';
import type { Json } from '../text/json.ts';
import { filesLiteral, literal } from '../text/sql.ts';
import { queryFiles } from './columnar.ts';
import { batchesOf, rowsFolder } from './kept-rows.ts';
import { partName } from './part-name.ts';
import { resultsOf } from './results.ts';
import type { RunStore } from './run-store.ts';

type Store = Pick<RunStore, 'path'>;

/** What names the rows that a loop gave; with the rows themselves where they are few. */
type Table = { results: string; rows?: { [name: string]: Json }[] };

/** JSON types of a column, and the type of its table: what is not of one kind stays JSON, as text. */
function typeOf(kinds: readonly string[]): string {
  const of = (...allowed: string[]): boolean => kinds.every((kind) => allowed.includes(kind));
  if (of('BOOLEAN')) return 'BOOLEAN';
  if (of('BIGINT', 'UBIGINT')) return 'BIGINT';
  if (of('BIGINT', 'UBIGINT', 'DOUBLE')) return 'DOUBLE';
  return of('VARCHAR') ? 'VARCHAR' : 'JSON';
}

const memberOf = (name: string): string => literal(`$."${name}"`);

/** SQL of the JSON type of a member. What JavaScript writes as a whole number may be beyond 64 bits. */
const kindOf = (name: string): string =>
  `case when json_type(row, ${memberOf(name)}) = 'UBIGINT' and try_cast(json_extract_string(row, ${memberOf(name)}) as bigint) is null then 'DOUBLE' else json_type(row, ${memberOf(name)}) end`;

/** Makes the table of a loop's rows as `makeTable` does, where they may be ten million: a file for each batch, whose rows are in order already. */
export async function makeTables(store: Store, step: string, columns: readonly string[], mostBytes: number): Promise<Table> {
  const results = resultsOf(store, step);
  const source = await sourceOf(store, step);
  const selected = await columnsOf(source, columns);
  const batches = await batchesOf(store, step);
  for (const [at, batch] of batches.entries())
    await writeTable(join(dirname(results), partName(at)), `select ${selected} from ${reading(store, step, batch)}`);
  if (batches.length === 0) await writeTable(join(dirname(results), partName(0)), `select ${selected} from ${source}`);
  return { results, ...(await rowsOf(source, mostBytes)) };
}

/**
 * Makes the table of a loop's rows, in the order of the turns, and returns what names it; with the rows themselves where their JSON has
 * at most so many bytes.
 */
export async function makeTable(store: Store, step: string, columns: readonly string[], mostBytes: number): Promise<Table> {
  const results = resultsOf(store, step);
  const source = await sourceOf(store, step);
  await writeTable(join(dirname(results), partName(0)), `select ${await columnsOf(source, columns)} from ${source} order by turn`);
  return { results, ...(await rowsOf(source, mostBytes)) };
}

const reading = (store: Store, step: string, files: string): string =>
  `read_json(${filesLiteral(rowsFolder(store, step), files)}, format = 'newline_delimited', columns = {turn: 'BIGINT', row: 'JSON'})`;

const sourceOf = async (store: Store, step: string): Promise<string> =>
  (await batchesOf(store, step)).length === 0 ? `(select 0 as turn, '{}'::json as row where false)` : reading(store, step, '*.jsonl');

/** What is selected for the columns of the table, of one type each. */
async function columnsOf(source: string, columns: readonly string[]): Promise<string> {
  const kinds = await queryFiles<{ name: string; kinds: string }>(
    columns
      .map((name) => `select ${literal(name)} as name, coalesce(string_agg(distinct ${kindOf(name)}, ','), '') as kinds from ${source}`)
      .join(' union all '),
  );
  const types = new Map(
    kinds.map(({ name, kinds: found }) => [name, typeOf(found.split(',').filter((kind) => kind !== '' && kind !== 'NULL'))]),
  );
  const selected = columns.map((name) => {
    const type = types.get(name)!;
    const value =
      type === 'JSON' ? `json_extract(row, ${memberOf(name)})::varchar` : `json_extract_string(row, ${memberOf(name)})::${type}`;
    return `${value} as "${name}"`;
  });
  return selected.join(', ');
}

/** Writes what a query gives as one file, whole. */
async function writeTable(path: string, query: string): Promise<void> {
  const parquet = temporaryName(path);
  await makeFolder(dirname(path));
  try {
    await queryFiles(`copy (${query}) to ${literal(parquet)} (format parquet)`);
    const file = await open(parquet);
    await file.sync().finally(() => file.close());
    await rename(parquet, path);
  } finally {
    await rm(parquet, { force: true });
  }
}

/** The rows themselves, where their JSON has at most so many bytes. */
async function rowsOf(source: string, mostBytes: number): Promise<Pick<Table, 'rows'>> {
  const [size] = await queryFiles<{ bytes: number }>(`select coalesce(sum(strlen(row::varchar)), 0)::double as bytes from ${source}`);
  if (size!.bytes > mostBytes) return {};
  const rows = await queryFiles<{ row: string }>(`select row::varchar as row from ${source} order by turn`);
  return { rows: rows.map(({ row }) => JSON.parse(row) as { [name: string]: Json }) };
}
