import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedFile } from '../../child/listed-files.ts';
import { agentsInChunk } from '../../pipelines/steps/agent/run.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import type { Json } from '../../text/json.ts';
import { BadInput } from '../../errors/classes.ts';
import { suggestion } from '../../text/nearest.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import { listUnchanged } from '../sources/list-unchanged.ts';
import type { StepContext } from '../frame/context.ts';

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

/** The rows of a table, a chunk at a time. Fails where it is not the one of the run's start. */
export async function* rowsOf(
  table: SourceSpec,
  key: string | undefined,
  folder: string,
  context: StepContext,
): AsyncGenerator<Listed[], void, undefined> {
  const into = context.store.path(folder);
  const listed = await context.tables.listRows(
    { source: table, key, into, parts: 1_000_000, leastRows: agentsInChunk, mostRows: agentsInChunk },
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

/** The files of a glob, a chunk at a time, each by its name. Fails where they are not those of the run's start. */
export async function* documentsOf(pattern: string, context: StepContext): AsyncGenerator<Listed[], void, undefined> {
  const files = await listUnchanged(pattern, context);
  for (let from = 0; from < files.length; from += agentsInChunk)
    yield files.slice(from, from + agentsInChunk).map((file: ListedFile) => ({ key: file.name, row: file }));
}
