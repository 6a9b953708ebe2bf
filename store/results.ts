import type { ResultColumns } from '../pipelines/own/result-columns.ts';
import { filesLiteral, identifier, literal } from '../text/sql.ts';
import { existsSync, readdirSync } from 'node:fs';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { BadInput } from '../errors/classes.ts';
import { makeFolder } from '../files/make-folder.ts';
import { temporaryName } from '../files/whole-file.ts';
import { wellFormed } from '../text/json.ts';
import { queryFiles } from './columnar.ts';
import { stepOfFolder } from './instance-folder.ts';
import { partName } from './part-name.ts';
import type { RunStore } from './run-store.ts';

export type ResultRow = Readonly<Record<string, unknown>>;

const leastObjectBytes = 64 * 1024;

const folderOf = (store: Pick<RunStore, 'path'>, step: string): string => store.path('results', step);

/** What later steps name the results of a sweep by: a glob over its Parquet files, in the order of the items. */
export const resultsOf = (store: Pick<RunStore, 'path'>, step: string): string => join(folderOf(store, step), '*.parquet');

/** Writes the results of one chunk whole, typed; the same chunk again replaces them. Without a row the columns alone. */
export async function writeResults(
  store: Pick<RunStore, 'path'>,
  step: string,
  chunk: number,
  columns: ResultColumns,
  rows: readonly ResultRow[],
): Promise<void> {
  const path = join(folderOf(store, step), partName(chunk));
  const parquet = temporaryName(path);
  const lines = `${parquet}.jsonl`;
  await makeFolder(dirname(path));
  try {
    const texts = rows.map((row) => `${JSON.stringify(row, wellFormed)}\n`);
    await writeFile(lines, texts.join(''));
    // DuckDB sets twice the size of the largest object aside for each reading, and chunks write beside each other.
    const largest = Math.max(leastObjectBytes, ...texts.map((text) => Buffer.byteLength(text)));
    const types = Object.entries(columns).map(([name, type]) => `${literal(name)}: ${literal(type)}`);
    const source =
      rows.length === 0
        ? `select ${Object.entries(columns)
            .map(([name, type]) => `null::${type} as "${name.replaceAll('"', '""')}"`)
            .join(', ')} where false`
        : `select * from read_json(${filesLiteral(lines)}, format = 'newline_delimited', maximum_object_size = ${largest}, columns = {${types.join(', ')}})`;
    await queryFiles(`copy (${source}) to ${literal(parquet)} (format parquet)`);
    const file = await open(parquet);
    await file.sync().finally(() => file.close());
    await rename(parquet, path);
  } finally {
    await rm(lines, { force: true });
    await rm(parquet, { force: true });
  }
}

/** Steps of a run that gave results. */
export const resultSteps = async (store: Pick<RunStore, 'path'>): Promise<string[]> =>
  (await readdir(store.path('results')).catch((): string[] => [])).map(stepOfFolder).sort((a, b) => a.localeCompare(b));

/** Column names and number of rows of a step's results. */
export async function resultFacts(store: Pick<RunStore, 'path'>, step: string): Promise<{ columns: string[]; rows: number }> {
  const source = `read_parquet(${filesLiteral(folderOf(store, step), '*.parquet')})`;
  const columns = await queryFiles<{ column_name: string }>(`describe select * from ${source}`);
  const [counted] = await queryFiles<{ rows: number }>(`select count(*)::integer as rows from ${source}`);
  return { columns: columns.map(({ column_name }) => column_name), rows: counted!.rows };
}

/** Rows of one part at a time: a chunk of a sweep, of at most 1,000 items. */
export async function* readResults(
  store: Pick<RunStore, 'path'>,
  results: string,
): AsyncGenerator<Record<string, unknown>, void, undefined> {
  const folder = dirname(resolve(results));
  // In this process only files are read that a run of this store has written.
  const runs = dirname(store.path());
  const inRuns = folder.startsWith(`${runs}${sep}`) && /^[^/\\]+[/\\]results[/\\][^/\\]+$/.test(folder.slice(runs.length + 1));
  if (!inRuns || !results.endsWith(`${sep}*.parquet`))
    throw new BadInput('bad_input', `${results}: not the results of a sweep; write \${{ steps.ID.results }}`);
  const parts = await readdir(folder).catch(() => {
    throw new BadInput('bad_input', `${folder}: the results are gone, or on another host`);
  });
  for (const part of parts.filter((name) => /^\d+\.parquet$/.test(name)).sort()) yield* rowsOfPart(filesLiteral(join(folder, part)));
}

/** JSON made at a time: the engine holds it several times, and one value may be of megabytes. */
const passBytes = 2_000_000;

async function* rowsOfPart(part: string): AsyncGenerator<Record<string, unknown>, void, undefined> {
  const [size] = await queryFiles<{ rows: number; bytes: number }>(
    `select (select sum(num_rows) from parquet_file_metadata(${part}))::double as rows,
      (select coalesce(sum(total_uncompressed_size), 0) from parquet_metadata(${part}))::double as bytes`,
  );
  const { rows, bytes } = size!;
  const atATime = Math.max(1, Math.floor((rows * passBytes) / Math.max(1, bytes)));
  // By the names of its columns, and in the order of the file: a word of ours for a row, or for its place, may be the name of a column.
  const columns = await queryFiles<{ column_name: string }>(`describe select * from read_parquet(${part})`);
  const fields = columns.map(({ column_name: name }) => `${literal(name)}: ${identifier(name)}`).join(', ');
  for (let from = 0; from < rows; from += atATime)
    for (const { row } of await queryFiles<{ row: string }>(
      `select to_json({${fields}})::varchar as row from read_parquet(${part}) limit ${atATime} offset ${from}`,
    ))
      yield JSON.parse(row) as Record<string, unknown>;
}

/** True of what later steps name the results of a sweep or a loop by. */
export const isResults = (text: string): boolean => text.endsWith(`${sep}*.parquet`) && basename(dirname(dirname(text))) === 'results';

/**
 * A file of a sweep's results that is gone, though its run's ledger has a part for it; undefined where all are there. Any other text than
 * what later steps name results by has none.
 */
export function goneResult(results: string): string | undefined {
  if (!isResults(results)) return undefined;
  const folder = dirname(results);
  // A sweep without items has no ledger, and one part of columns alone.
  const parts = partsIn(join(folder, '..', '..', 'items', basename(folder)));
  const gone = (parts.length > 0 ? parts : [partName(0)]).find((part) => !existsSync(join(folder, part)));
  return gone === undefined ? undefined : join(folder, gone);
}

const partsIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.parquet$/.test(name)) : []);
