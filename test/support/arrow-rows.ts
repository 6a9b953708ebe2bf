import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Field, Int32, RecordBatch, RecordBatchFileWriter, Schema, Struct, Utf8, makeData, type Data } from 'apache-arrow';

const rowsPerBatch = 16_384;

/** Letters that look drawn and are the same every time; long, so that no two rows of a file begin alike soon. */
function letters(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 0x2545f491;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 28 === 0 ? 32 : 97 + ((state >>> 24) % 26);
  }
  return bytes;
}

/** Texts of one length as a column, without a string for each. */
function texts(rows: number, length: number, write: (into: Buffer, at: number, row: number) => void): Data<Utf8> {
  const data = Buffer.alloc(rows * length);
  const valueOffsets = new Int32Array(rows + 1);
  for (let row = 0; row < rows; row += 1) {
    write(data, row * length, row);
    valueOffsets[row + 1] = (row + 1) * length;
  }
  return makeData({
    type: new Utf8(),
    length: rows,
    nullCount: 0,
    valueOffsets,
    data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  });
}

/** Writes an Arrow file of `rows` rows, the same every time: `id` (24 digits), `n`, and a `text` of so many bytes. */
export async function writeArrowRows(path: string, { rows, textBytes }: { rows: number; textBytes: number }): Promise<void> {
  const pool = letters(4 * 1024 * 1024 + textBytes);
  const schema = new Schema([new Field('id', new Utf8(), false), new Field('n', new Int32(), false), new Field('text', new Utf8(), false)]);
  const batches = RecordBatchFileWriter.throughNode();
  const written = pipeline(batches, createWriteStream(path));
  for (let from = 0; from < rows; from += rowsPerBatch) {
    const length = Math.min(rowsPerBatch, rows - from);
    const children = [
      texts(length, 24, (into, at, row) => void into.write(String(from + row).padStart(24, '0'), at, 'latin1')),
      makeData({ type: new Int32(), length, nullCount: 0, data: Int32Array.from({ length }, (_, row) => from + row) }),
      texts(length, textBytes, (into, at, row) => {
        const start = ((from + row) * 7_919) % (4 * 1024 * 1024);
        pool.copy(into, at, start, start + textBytes);
      }),
    ];
    const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
    if (!batches.write(batch)) await Promise.race([once(batches, 'drain'), written]);
  }
  batches.end();
  await written;
}
