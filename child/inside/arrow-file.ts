import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordBatch, Schema, tableFromIPC } from 'apache-arrow';
import { createArrowFile } from '../../arrow/writer.ts';
import { asItIs } from './sent-unchanged.ts';
import { filePrint } from './file-print.ts';
import { createIdsFiles } from '../ids-files.ts';
import { writeFolder } from '../partial-folder.ts';
import type { ChildContext } from '../protocol.ts';
import { cutRows, type CutRows } from './rows/shard.ts';
import type { ArrowFileRequest, ArrowFileResult } from '../tables.ts';

const names = { file: 'rows.arrow', rejects: 'rejects.jsonl' };

type Made = Omit<ArrowFileResult, 'rejectsFile'>;

/** Source → one Arrow file for an upload and the ids of its rows, in `into`, which appears whole or not at all. */
export const arrowFile = (request: ArrowFileRequest, context: ChildContext): Promise<ArrowFileResult> =>
  writeFolder(request.into, async (folder) => {
    const placed = (name: string): string => join(request.into, name);
    const { idsFiles, ...made } = await make(request, context, folder, placed);
    return { ...made, rejectsFile: placed(names.rejects), idsFiles: idsFiles.map(placed) };
  });

async function make(request: ArrowFileRequest, context: ChildContext, folder: string, placed: (name: string) => string): Promise<Made> {
  const ids = createIdsFiles(folder);
  const found = await asItIs(request, context, (batch) => ids.add(batch));
  if ('converted' in found) {
    const { source, ...made } = await convert(request, context, folder);
    const print = await filePrint(join(folder, names.file));
    return { ...made, converted: { because: found.converted, source }, print: { ...print, file: placed(names.file) } };
  }
  await writeFile(join(folder, names.rejects), '');
  return { ...found, sent: found.rows, rejected: 0, idsFiles: await ids.close() };
}

/** The batches that `append` would send one by one, in one uncompressed file; empty where none is left. */
async function convert(
  request: ArrowFileRequest,
  context: ChildContext,
  folder: string,
): Promise<Omit<Made, 'print' | 'converted'> & Pick<CutRows, 'source'>> {
  const ids = createIdsFiles(folder);
  await using file = await createArrowFile(join(folder, names.file));
  const { columns, ...cut } = await cutRows(request, context, folder, async (bytes, rowIds) => {
    const table = tableFromIPC(bytes);
    const schema = new Schema(table.schema.fields, metadata);
    for (const batch of table.batches) await file.write(new RecordBatch(schema, batch.data));
    await ids.add(rowIds);
  });
  await file.end();
  return { ...cut, columns: columns.map(({ name }) => name), idsFiles: await ids.close() };
}

/** Known ids are skipped, which is what makes the end of an upload repeatable. */
const metadata = new Map([['on_id_conflict_ignore', 'true']]);
