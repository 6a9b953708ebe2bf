import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordBatch, RecordBatchFileWriter, RecordBatchReader, Schema } from 'apache-arrow';
import { fileBytes } from '../../arrow/bytes.ts';
import { checkBatch } from '../../arrow/check.ts';
import { limitDecoded, registerCodecs } from '../../arrow/codecs.ts';
import { refuseBigEndian, walkArrow } from '../../arrow/schema.ts';
import { arrowVerdict } from '../../arrow/verdict.ts';
import { shortageOf } from '../../errors/system.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { plainBatch, plainSchema } from './formats/arrow/plain.ts';
import type { ChildContext, Methods } from '../protocol.ts';
import { BadInput } from '../../errors/classes.ts';

/** Aim of one written file, in bytes: it is read whole by whoever asked for it. */
const aimBytes = 32 * 1024 * 1024;

registerCodecs();

/** Each piece of the file must still have the MD5 that its sender got as its ETag. */
async function checkPieces(file: string, { bytes, md5 }: NonNullable<Methods['unpackArrow']['input']['pieces']>): Promise<void> {
  for (const [at, expected] of md5.entries()) {
    const hash = createHash('md5');
    for await (const chunk of createReadStream(file, { start: at * bytes, end: (at + 1) * bytes - 1, highWaterMark: 1 << 20 }))
      hash.update(chunk as Uint8Array);
    if (hash.digest('hex') !== expected)
      throw new BadInput('bad_input', `part ${at + 1} is not on the disk as it was acknowledged; start the upload again`);
  }
}

/**
 * Arrow file → uncompressed Arrow files `rows-00000.arrow` … in `into`, of at most `maxRows` rows each, in the file's
 * order, with the types of the columns (of a dictionary: those of its values) and the schema's metadata. What is
 * decompressed, and what is written, grows to `maxDecodedBytes` at most. A file without rows yields one without rows.
 */
export async function unpackArrow(
  { file, into, maxRows, maxDecodedBytes, pieces }: Methods['unpackArrow']['input'],
  context: ChildContext,
): Promise<Methods['unpackArrow']['output']> {
  if (pieces) await checkPieces(file, pieces);
  await rm(into, { recursive: true, force: true });
  await makeFolder(into);
  limitDecoded(maxDecodedBytes);
  const files: Methods['unpackArrow']['output']['files'] = [];
  let rows = 0;
  let left = maxDecodedBytes;
  let pending: RecordBatch[] = [];
  let pendingRows = 0;
  let pendingBytes = 0;

  const write = async (schema: Schema): Promise<void> => {
    const bytes = RecordBatchFileWriter.writeAll(pending.length > 0 ? pending : [new RecordBatch(schema)]).toUint8Array(true);
    left -= bytes.byteLength;
    if (left < 0) throw new BadInput('too_large', `grows beyond ${maxDecodedBytes} bytes when decoded`);
    const path = join(into, `rows-${String(files.length).padStart(5, '0')}.arrow`);
    await writeFile(path, bytes);
    files.push({ file: path, rows: pendingRows });
    rows += pendingRows;
    context.progress(rows);
    pending = [];
    pendingRows = 0;
    pendingBytes = 0;
  };

  const handle = await open(file, 'r');
  try {
    const head = Buffer.alloc(6);
    await handle.read(head, 0, 6, 0);
    if (head.toString('latin1') !== 'ARROW1')
      throw new BadInput('bad_input', 'not an Arrow IPC file (Feather v2): the magic ARROW1 is missing');
    refuseBigEndian(walkArrow(fileBytes(handle.fd), 'arrow-file'));
    const reader = await RecordBatchReader.from(handle);
    await reader.open();
    const schema = plainSchema(reader.schema);
    for await (const batch of reader) {
      checkBatch(batch);
      const bytesPerRow = batch.data.byteLength / Math.max(1, batch.numRows);
      for (let from = 0; from < batch.numRows;) {
        const count = Math.max(
          1,
          Math.min(batch.numRows - from, maxRows - pendingRows, Math.floor((aimBytes - pendingBytes) / Math.max(1, bytesPerRow))),
        );
        pending.push(plainBatch(schema, batch.slice(from, from + count), left));
        from += count;
        pendingRows += count;
        pendingBytes += count * bytesPerRow;
        if (pendingRows >= maxRows || pendingBytes >= aimBytes) await write(schema);
      }
    }
    if (pendingRows > 0 || files.length === 0) await write(schema);
    return { files, rows };
  } catch (error) {
    throw shortageOf(error) ?? arrowVerdict(error);
  } finally {
    await handle.close().catch(() => undefined);
  }
}
