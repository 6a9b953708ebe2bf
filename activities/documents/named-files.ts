import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { namedFiles, namingTable, textColumns, type NamedFile } from '../../child/named-files.ts';
import type { ParseInput } from '../../pipelines/steps/documents/parse.ts';
import { listUnchanged } from '../sources/list-unchanged.ts';
import { listedRows } from '../sources/listed-rows.ts';
import type { StepContext } from '../frame/context.ts';

/** A file by its name, and what its chunks have of the row that names it. */
export type DocumentFile = Pick<NamedFile, 'name' | 'path'> & Partial<Pick<NamedFile, 'carried'>>;

type FoundFile = DocumentFile & Pick<NamedFile, 'bytes' | 'unreadable'>;

/** Files of the step: those of its glob, or those that the rows of its table name. Fails where a row names the file of another. */
export async function filesOf(input: ParseInput, context: StepContext): Promise<FoundFile[]> {
  const files = await listUnchanged(input.files, context);
  if (input.column === '') return files.map(({ name, path, bytes }) => ({ name, path, bytes }));
  const table = namingTable(input, files);
  const folder = join('documents', context.step, context.attemptId);
  const found: FoundFile[] = [];
  try {
    const rows = listedRows({ table: { path: table }, ids: textColumns(input), folder, atOnce: 1_000 }, context);
    for await (const file of namedFiles(input, table, rows)) found.push(file);
    return found;
  } finally {
    await rm(context.store.path(folder), { recursive: true, force: true });
  }
}
