import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../errors/classes.ts';
import type { Json } from '../text/json.ts';
import { suggestion } from '../text/nearest.ts';
import type { ListedRows } from './tables.ts';

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

/** The rows that `Tables.listRows` has written into a folder, a part at a time. */
export async function* readParts(folder: string, parts: ListedRows['parts']): AsyncGenerator<Listed[], void, undefined> {
  for (const { file } of parts) {
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n').filter((line) => line !== '');
    yield lines.map((line) => {
      const [key, row] = JSON.parse(line) as [string, Row];
      return { key, row };
    });
  }
}
