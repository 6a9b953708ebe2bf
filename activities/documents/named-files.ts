import { rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import type { ParseInput } from '../../pipelines/steps/documents/parse.ts';
import { listUnchanged } from '../sources/list-unchanged.ts';
import { listedRows, textOf, valueOf, type Row } from '../sources/listed-rows.ts';
import type { StepContext } from '../frame/context.ts';

/** A file by its name, and what its chunks have of the row that names it. */
export type DocumentFile = { name: string; path: string; carried?: { [column: string]: string | null } };

/** `unreadable`: why there are no bytes of it. */
type FoundFile = DocumentFile & { bytes: number; unreadable?: string };

/** Files of the step: those of its glob, or those that the rows of its table name. Fails where a row names the file of another. */
export async function filesOf(input: ParseInput, context: StepContext): Promise<FoundFile[]> {
  const files = await listUnchanged(input.files, context);
  if (input.column === '') return files.map(({ name, path, bytes }) => ({ name, path, bytes }));
  const [table, another] = files;
  if (another) throw new BadInput('bad_input', `${input.files}: matches ${files.length} files, and column is for one table`);
  const rows = join('documents', context.step, context.attemptId);
  const named = new Map<string, FoundFile>();
  try {
    for await (const listed of listedRows({ table: { path: table!.path }, folder: rows, atOnce: 1_000 }, context))
      for (const { row } of listed) {
        const file = await fileOf(input, row, dirname(resolve(table!.path)), named.size + 1);
        if (named.has(file.name))
          throw new BadInput('bad_input', `${input.files}: two rows name the file '${file.name}'; keep one of them`);
        named.set(file.name, file);
      }
  } finally {
    await rm(context.store.path(rows), { recursive: true, force: true });
  }
  return [...named.values()];
}

/** The file of a row. One outside the folder of its table is not opened: a table may be somebody else's, and what it names is sent away. */
async function fileOf({ column, carry }: ParseInput, row: Row, folder: string, place: number): Promise<FoundFile> {
  const texts = carry.map((each): [string, string | null] => {
    const value = valueOf(row, each, 'carry');
    return [each, value === null ? null : textOf(value)];
  });
  const written = textOf(valueOf(row, column, 'column'));
  const path = resolve(folder, written);
  const below = relative(folder, path);
  const found = { name: below.split(sep).join('/'), path, bytes: 0, carried: Object.fromEntries(texts) };
  if (written === '') return { ...found, name: `row ${place}`, unreadable: 'the row names no file' };
  if (below.split(sep)[0] === '..' || isAbsolute(below))
    return { ...found, name: written, unreadable: `is not in the folder of the table (${folder}): put it there, or the table above it` };
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ? { ...found, bytes: facts.size } : { ...found, unreadable: 'there is no such file' };
}
