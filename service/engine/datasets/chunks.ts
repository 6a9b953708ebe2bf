import { setImmediate } from 'node:timers/promises';
import { ARRAY, BIGINT, DOUBLE, DuckDBDataChunk, FLOAT, INTEGER, TIMESTAMP_MS, UINTEGER, VARCHAR } from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { embeddingsIn, numbersIn } from '../../../child/vector-memory.ts';
import { stream } from './statements.ts';

/** DuckDB's vector size: the most rows that one data chunk holds. */
const CHUNK_ROWS = 2_048;
/** Chunks that are appended in one go, before others get their turn. */
const CHUNKS_PER_TURN = 8;

export type Numbers = Int32Array | Uint32Array | Float32Array | Float64Array;

/** One column to append, whole; `nulls` are the numbers of its empty rows; vectors are flat, `dimensions` numbers each. */
export type ColumnData =
  | { kind: 'integer' | 'unsigned' | 'float' | 'double' | 'timestamp' | 'bigint'; values: Numbers; nulls?: readonly number[] }
  | { kind: 'text'; values: readonly string[] }
  | { kind: 'vector'; values: Float32Array; dimensions: number };

const types = {
  integer: INTEGER,
  unsigned: UINTEGER,
  float: FLOAT,
  double: DOUBLE,
  timestamp: TIMESTAMP_MS,
  bigint: BIGINT,
  text: VARCHAR,
};
const typeOf = (column: ColumnData): DuckDBType => (column.kind === 'vector' ? ARRAY(FLOAT, column.dimensions) : types[column.kind]);

/** What DuckDB keeps numbers of a kind in. */
const memory = { integer: Int32Array, unsigned: Uint32Array, float: Float32Array, double: Float64Array };

const TWO_32 = 2 ** 32;

/** Whole numbers into 64 bits, as two halves each: a bigint for every one of millions takes seconds. */
const setWhole = (items: BigInt64Array, values: Numbers, from: number): void => {
  const halves = new Int32Array(items.buffer, items.byteOffset, items.length * 2);
  for (let row = 0; row < items.length; row += 1) {
    const value = values[from + row]!;
    const high = Math.floor(value / TWO_32);
    halves[row * 2] = value - high * TWO_32;
    halves[row * 2 + 1] = high;
  }
};

const fill = (chunk: DuckDBDataChunk, at: number, column: ColumnData, from: number, count: number): void => {
  const vector = chunk.getColumnVector(at);
  if (column.kind === 'text') {
    for (let row = 0; row < count; row += 1) vector.setItem(row, column.values[from + row]!);
  } else if (column.kind === 'vector') {
    embeddingsIn(vector).set(column.values.subarray(from * column.dimensions, (from + count) * column.dimensions));
  } else {
    if (column.kind === 'bigint' || column.kind === 'timestamp') setWhole(numbersIn(vector, BigInt64Array), column.values, from);
    else numbersIn<Numbers>(vector, memory[column.kind]).set(column.values.subarray(from, from + count));
    for (const row of column.nulls ?? []) if (row >= from && row < from + count) vector.setItem(row - from, null);
  }
  vector.flush();
};

/** Appends whole columns to a table, in the transaction that is open on the connection. */
export const appendColumns = async (connection: DuckDBConnection, table: string, columns: ColumnData[], rows: number): Promise<void> => {
  const appender = await connection.createAppender(table);
  const columnTypes = columns.map(typeOf);
  try {
    for (let from = 0, turn = 1; from < rows; from += CHUNK_ROWS, turn += 1) {
      const count = Math.min(CHUNK_ROWS, rows - from);
      const chunk = DuckDBDataChunk.create(columnTypes, count);
      for (const [at, column] of columns.entries()) fill(chunk, at, column, from, count);
      appender.appendDataChunk(chunk);
      if (turn % CHUNKS_PER_TURN === 0) await setImmediate();
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
};

/** The chunks of a statement's result, none of it held longer than it is looked at. */
export const readChunks = async function* (
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[] = [],
): AsyncGenerator<DuckDBDataChunk, void, undefined> {
  const result = await stream(connection, sql, values);
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) yield chunk;
};

/** Unsigned numbers below 2^32 that a statement yields as its only column. */
export const readNumbers = async (connection: DuckDBConnection, sql: string, values: DuckDBValue[] = []): Promise<Uint32Array> => {
  const parts: Uint32Array[] = [];
  for await (const chunk of readChunks(connection, sql, values)) parts.push(numbersIn(chunk.getColumnVector(0), Uint32Array).slice());
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** All vectors that a statement yields as its only column, flat. */
export const readVectors = async (connection: DuckDBConnection, sql: string, values: DuckDBValue[] = []): Promise<Float32Array> => {
  const parts: Float32Array[] = [];
  for await (const chunk of readChunks(connection, sql, values)) parts.push(embeddingsIn(chunk.getColumnVector(0)).slice());
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};
