import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { Json } from '../../text/json.ts';
import { suggestion } from '../../text/nearest.ts';
import type { StepContext } from '../frame/context.ts';
import { refuseChanged } from './check-unchanged.ts';

export type Row = { [column: string]: Json };

/** What a row holds in a column; `where` is the field that names it. */
export const valueOf = (row: Row, column: string, where: string): Json => {
  const value = row[column];
  if (value === undefined)
    throw new BadInput('bad_input', `${where} names the column '${column}', and the table has none${suggestion(column, Object.keys(row))}`);
  return value;
};

/** A value as the text that it is written as; null as none. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));

/** A row, or a file as a row, by the name of its item. */
export type Listed = { key: string; row: Row };

/** `folder`: where the rows are listed, in the run store; `atOnce`: rows of a chunk. */
type Listing = { table: SourceSpec; key?: string | undefined; folder: string; atOnce: number };

/** The rows of a table, a chunk at a time. Fails where it is not the one of the run's start. */
export async function* listedRows(
  { table, key, folder, atOnce }: Listing,
  context: StepContext,
): AsyncGenerator<Listed[], void, undefined> {
  const into = context.store.path(folder);
  const listed = await context.tables.listRows(
    { source: table, key, into, parts: 1_000_000, leastRows: atOnce, mostRows: atOnce },
    { signal: context.signal, progress: (done) => context.progress({ done, unit: 'rows', note: 'listing' }) },
  );
  refuseChanged(context, sourceName(table), { ...listed.source, rows: listed.rows });
  for (const { file } of listed.parts) {
    const lines = (await readFile(join(into, file), 'utf8')).split('\n').filter((line) => line !== '');
    yield lines.map((line) => {
      const [name, row] = JSON.parse(line) as [string, Row];
      return { key: name, row };
    });
  }
}
