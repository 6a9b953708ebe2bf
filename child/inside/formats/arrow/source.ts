import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { DuckDBDataChunk, DuckDBDoubleVector, DuckDBFloatVector, type DuckDBVector } from '@duckdb/node-api';
import { RecordBatchReader, type Data, type RecordBatch } from 'apache-arrow';
import { fileBytes } from '../../../../arrow/bytes.ts';
import { checkBatch } from '../../../../arrow/check.ts';
import { limitDecoded, registerCodecs } from '../../../../arrow/codecs.ts';
import { refuseOldUnions, walkArrow, type ArrowType } from '../../../../arrow/schema.ts';
import { arrowVerdict } from '../../../../arrow/verdict.ts';
import { BadInput } from '../../../../errors/classes.ts';
import { childLimits } from '../../../child-limits.ts';
import { drop } from '../../collect-garbage.ts';
import type { Engine } from '../../engine.ts';
import { openAppender } from '../../own-table.ts';
import { elementsIn, numbersIn } from '../../../vector-memory.ts';
import { refuseTooMany, type SourceColumn } from '../../source-column.ts';
import type { ArrowColumn } from './column.ts';
import { littleEndian } from './endian.ts';
import { uniqueNames } from './unique-names.ts';
import { arrowColumn } from './values.ts';

type HeldColumn = ArrowColumn & { name: string };

/** Rows handed over at once: what DuckDB takes, and of long ones no more than make so many bytes. */
const most = { rows: 2_048, bytes: 2 * 1024 * 1024 };

registerCodecs();

function columnNames(names: (string | null)[]): string[] {
  for (const name of names) {
    if (!name) throw new BadInput('bad_input', 'has a column without a name');
    if (name.includes('\0')) throw new BadInput('bad_input', 'has a NUL character in a column name');
  }
  return uniqueNames(names);
}

/** Fills an array column through its child's numbers: value by value it takes forty times as long. Returns false where it cannot. */
function fillArray(target: DuckDBVector, source: Data, from: number, rows: number): boolean {
  const child = elementsIn(target);
  const numbers: unknown = source.children[0]?.values;
  if (!(numbers instanceof Float32Array || numbers instanceof Float64Array)) return false;
  const kind = child instanceof DuckDBFloatVector ? Float32Array : child instanceof DuckDBDoubleVector ? Float64Array : undefined;
  if (!child || !kind) return false;
  const width = child.itemCount / rows;
  const items = source.children[0]!;
  numbersIn<Float32Array | Float64Array>(child, kind).set(numbers.subarray(from * width, (from + rows) * width));
  if (items.nullCount > 0) for (let at = 0; at < rows * width; at += 1) if (!items.getValid(from * width + at)) child.setItem(at, null);
  if (source.nullCount > 0) for (let row = 0; row < rows; row += 1) if (!source.getValid(from + row)) target.setItem(row, null);
  target.flush();
  return true;
}

const bytesPerRow = (batch: RecordBatch): number => Math.max(1, batch.data.byteLength / Math.max(1, batch.numRows));

function* chunks(batch: RecordBatch, columns: ArrowColumn[]): Generator<DuckDBDataChunk> {
  const types = columns.map(({ duck }) => duck);
  const values = columns.map(({ read }, at) => read(batch.data.children[at]!));
  const size = Math.max(1, Math.min(most.rows, Math.floor(most.bytes / bytesPerRow(batch))));
  for (let from = 0; from < batch.numRows; from += size) {
    const rows = Math.min(size, batch.numRows - from);
    const chunk = DuckDBDataChunk.create(types, rows);
    values.forEach((valueAt, at) => {
      if (fillArray(chunk.getColumnVector(at), batch.data.children[at]!, from, rows)) return;
      chunk.setColumnValues(
        at,
        Array.from({ length: rows }, (_, row) => valueAt(from + row)),
      );
    });
    yield chunk;
  }
}

/** Gives the bytes of a batch back now: the collector comes when the next one has been read, and large ones are too large twice. */
function release({ buffers, children }: Data): void {
  for (const part of Object.values(buffers) as ({ buffer: ArrayBuffer } | undefined)[])
    if (part && part.buffer.byteLength > most.bytes) part.buffer.transfer(0);
  for (const child of children) release(child);
}

/** The batches of a reader, little-endian and checked; what the library says of bytes that it cannot read is a verdict. */
async function* checked(reader: AsyncIterable<RecordBatch>, bigEndian: boolean, own: boolean): AsyncGenerator<RecordBatch> {
  const batches = reader[Symbol.asyncIterator]();
  for (;;) {
    const next = await batches.next().catch((error: unknown) => {
      throw arrowVerdict(error);
    });
    if (next.done) return;
    const batch = bigEndian ? littleEndian(next.value) : next.value;
    checkBatch(batch);
    yield batch;
    drop(batch.data.byteLength);
    if (own) release(batch.data);
  }
}

/** Opens the file, checks its schema, and hands its columns and record batches over. */
async function withReader<T>(
  file: string,
  type: ArrowType,
  use: (columns: HeldColumn[], batches: AsyncIterable<RecordBatch>) => Promise<T>,
): Promise<T> {
  const handle = await open(file, 'r');
  try {
    limitDecoded(childLimits.decodedGiB * 1024 ** 3);
    const { bigEndian, version, rows } = walkArrow(fileBytes(handle.fd), type);
    refuseTooMany(rows);
    const reader = await (type === 'arrow-file'
      ? RecordBatchReader.from(handle)
      : RecordBatchReader.from(createReadStream(file, { highWaterMark: 1 << 20 })));
    await reader.open().catch((error: unknown) => {
      throw arrowVerdict(error);
    });
    const { fields } = reader.schema;
    refuseOldUnions(fields, version);
    const names = columnNames(fields.map(({ name }) => name));
    return await use(
      fields.map((field, at) => ({ name: names[at]!, ...arrowColumn(field.type) })),
      // The bytes of a message of a file are read for it alone; those of a stream may hold the next one too.
      checked(reader, bigEndian, type === 'arrow-file'),
    );
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** Columns of an Arrow IPC file or stream, in DuckDB's types. */
export const arrowColumns = (file: string, type: ArrowType): Promise<SourceColumn[]> =>
  withReader(file, type, async (columns) => columns.map(({ name, duck }) => ({ name, type: duck.toString() })));

/** Appends an Arrow IPC file or stream to a table of the schema `own` that has its columns, batch by batch. */
export const appendArrow = (file: string, type: ArrowType, engine: Engine, table: string): Promise<void> =>
  withReader(file, type, async (columns, batches) => {
    const appender = await openAppender(engine, table);
    for await (const batch of batches)
      for (const chunk of chunks(batch, columns)) appender.append(chunk, chunk.rowCount * bytesPerRow(batch));
    appender.close();
  });
