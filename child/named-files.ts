import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { BadInput } from '../errors/classes.ts';
import type { ListedFile } from './listed-files.ts';
import { textOf, valueOf, type Listed, type Row } from './listed-rows.ts';

/** A table that names files: its path, the column that holds theirs, and columns that are carried along with each. */
export type NamingTable = { files: string; column: string; carry: readonly string[] };

/** Columns whose values stay the texts that stand there: `1.10` is another file than `1.1`, and another edition. */
export const textColumns = ({ column, carry }: NamingTable): string[] => [column, ...carry];

/** A file by its name, and what the row that names it says of it. `unreadable`: why there are no bytes of it. */
export type NamedFile = {
  name: string;
  path: string;
  bytes: number;
  carried: { [column: string]: string | null };
  unreadable?: string;
};

/** Why there are no bytes of a file: it is not there, or its row says nothing. */
export const noSuchFile = 'there is no such file';
export const namesNone = 'the row names no file';

/** The one file of a pattern that is a table of files. */
export function namingTable({ files: pattern }: NamingTable, [table, ...others]: readonly ListedFile[]): string {
  if (others.length > 0) throw new BadInput('bad_input', `${pattern}: matches ${others.length + 1} files, and column is for one table`);
  return table!.path;
}

/** The files that the rows of a table name, in their order. Fails where a row names the file of another. */
export async function* namedFiles(
  given: NamingTable,
  table: string,
  rows: AsyncIterable<readonly Listed[]>,
): AsyncGenerator<NamedFile, void, undefined> {
  const names = new Set<string>();
  for await (const listed of rows)
    for (const { row } of listed) {
      const file = await fileOf(given, row, dirname(resolve(table)), names.size + 1);
      if (names.has(file.name)) throw new BadInput('bad_input', `${given.files}: two rows name the file '${file.name}'; keep one of them`);
      names.add(file.name);
      yield file;
    }
}

/** The file of a row. One outside the folder of its table is not opened: a table may be somebody else's, and what it names is sent away. */
async function fileOf({ column, carry }: NamingTable, row: Row, folder: string, place: number): Promise<NamedFile> {
  const texts = carry.map((each): [string, string | null] => {
    const value = valueOf(row, each, 'carry');
    return [each, value === null ? null : textOf(value)];
  });
  const written = textOf(valueOf(row, column, 'column'));
  const path = resolve(folder, written);
  const below = relative(folder, path);
  const found = { name: below.split(sep).join('/'), path, bytes: 0, carried: Object.fromEntries(texts) };
  if (written === '') return { ...found, name: `row ${place}`, unreadable: namesNone };
  if (below.split(sep)[0] === '..' || isAbsolute(below))
    return { ...found, name: written, unreadable: `is not in the folder of the table (${folder}): put it there, or the table above it` };
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ? { ...found, bytes: facts.size } : { ...found, unreadable: noSuchFile };
}
