import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { DuckDBArrayVector, DuckDBDataChunk, DuckDBDoubleVector, DuckDBFloatVector, type DuckDBVector } from '@duckdb/node-api';
import { RecordBatchReader, type Data, type Field, type RecordBatch, type Vector } from 'apache-arrow';
import { limitDecoded, registerCodecs } from './codecs.ts';
import { checkBatch } from './check.ts';
import { littleEndian } from './endian.ts';
import { arrowVerdict, refuseOldUnions, schemaFacts } from './schema.ts';
import { arrowColumn, type ArrowColumn } from './values.ts';
import { drop } from '../../collect-garbage.ts';
import type { Engine } from '../../engine.ts';
import { childLimits } from '../../../limits.ts';
import { identifier } from '../../sql/quote.ts';
import { BadInput } from '../../../../errors/classes.ts';

export type ArrowType = 'arrow-file' | 'arrow-stream';

/** A column of an Arrow file: how it is held, and what its type is called. */
type HeldColumn = ArrowColumn & { name: string };

/** Rows handed over at once: what DuckDB takes, and of long ones no more than make so many bytes. */
const most = { rows: 2_048, bytes: 2 * 1024 * 1024 };

/** An appender holds 204,800 rows beside DuckDB's memory limit, however long they are: it is emptied after so many bytes. */
const appenderBytes = 16 * 1024 * 1024;

registerCodecs();

/** Names as DuckDB gives them to a Parquet file: of columns with one name, the later ones become `name_1`, `name_2` … */
function columnNames(names: (string | null)[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    if (!name) throw new BadInput('bad_input', 'has a column without a name');
    if (name.includes('\0')) throw new BadInput('bad_input', 'has a NUL character in a column name');
    let unique = name;
    for (let count = 1; seen.has(unique.toLowerCase()); count += 1) unique = `${name}_${count}`;
    seen.add(unique.toLowerCase());
    return unique;
  });
}

/** Fills an array column through its child's numbers: value by value it takes forty times as long. Answers false where it cannot. */
function fillArray(target: DuckDBVector, source: Vector, from: number, rows: number): boolean {
  const child: unknown = target instanceof DuckDBArrayVector ? target['childData'] : undefined;
  if (!(child instanceof DuckDBFloatVector || child instanceof DuckDBDoubleVector)) return false;
  const width = child.itemCount / rows;
  for (let row = 0; row < rows; row += 1) {
    const item = source.get(from + row) as Vector | null;
    if (item === null) target.setItem(row, null);
    else if (item.nullCount > 0) for (let at = 0; at < width; at += 1) child.setItem(row * width + at, item.get(at) as number | null);
    else {
      const numbers: unknown = item.toArray();
      const plain = numbers instanceof Float32Array || numbers instanceof Float64Array;
      (child as unknown as { items: Float32Array }).items.set(plain ? numbers : [...(item as Iterable<number>)], row * width);
    }
  }
  target.flush();
  return true;
}

const bytesPerRow = (batch: RecordBatch): number => Math.max(1, batch.data.byteLength / Math.max(1, batch.numRows));

function* chunks(batch: RecordBatch, columns: ArrowColumn[]): Generator<DuckDBDataChunk> {
  const types = columns.map(({ duck }) => duck);
  const size = Math.max(1, Math.min(most.rows, Math.floor(most.bytes / bytesPerRow(batch))));
  for (let from = 0; from < batch.numRows; from += size) {
    const rows = Math.min(size, batch.numRows - from);
    const chunk = DuckDBDataChunk.create(types, rows);
    columns.forEach(({ value }, at) => {
      const vector = batch.getChildAt(at);
      if (vector && fillArray(chunk.getColumnVector(at), vector, from, rows)) return;
      chunk.setColumnValues(
        at,
        Array.from({ length: rows }, (_, row) => {
          const found: unknown = vector?.get(from + row);
          return found === null || found === undefined ? null : value(found);
        }),
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

async function* checked(batches: AsyncIterable<RecordBatch>, bigEndian: boolean, own: boolean): AsyncGenerator<RecordBatch> {
  for await (const found of batches) {
    const batch = bigEndian ? littleEndian(found) : found;
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
    const { bigEndian, version } = await schemaFacts(handle, type);
    const reader = await (type === 'arrow-file'
      ? RecordBatchReader.from(handle)
      : RecordBatchReader.from(createReadStream(file, { highWaterMark: 1 << 20 })));
    await reader.open();
    refuseOldUnions(reader.schema.fields, version);
    const fields: Field[] = reader.schema.fields;
    const names = columnNames(fields.map(({ name }) => name));
    return await use(
      fields.map((field, at) => ({ name: names[at]!, ...arrowColumn(field.type) })),
      // The bytes of a message of a file are read for it alone; those of a stream may hold the next one too.
      checked(reader, bigEndian, type === 'arrow-file'),
    );
  } catch (error) {
    if (error instanceof BadInput || !(error instanceof Error)) throw error;
    throw arrowVerdict(error);
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** Columns of an Arrow IPC file or stream: name and type as they are called, and the DuckDB type that holds them. */
export const arrowColumns = (file: string, type: ArrowType): Promise<{ name: string; type: string; held: string }[]> =>
  withReader(file, type, async (columns) => columns.map(({ name, type: called, duck }) => ({ name, type: called, held: duck.toString() })));

/** Appends an Arrow IPC file or stream to a table of the schema `own` that has its columns, batch by batch. */
export const appendArrow = (file: string, type: ArrowType, engine: Engine, table: string): Promise<void> =>
  withReader(file, type, async (columns, batches) => {
    const appender = await engine.connection.createAppender(table, 'own');
    let held = 0;
    for await (const batch of batches) {
      for (const chunk of chunks(batch, columns)) {
        appender.appendDataChunk(chunk);
        const bytes = chunk.rowCount * bytesPerRow(batch);
        drop(bytes);
        held += bytes;
        if (held < appenderBytes) continue;
        appender.flushSync();
        held = 0;
      }
    }
    appender.closeSync();
  });

/** SQL that makes a table of the schema `own` for columns of these types. */
export const createTable = (table: string, columns: { name: string; held: string }[]): string =>
  `create table own.${identifier(table)} (${columns.map(({ name, held }) => `${identifier(name)} ${held}`).join(', ')})`;
