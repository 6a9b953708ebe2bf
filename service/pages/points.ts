import type { DuckDBConnection } from '@duckdb/node-api';
import { readChunks, readNumbers } from '../engine/datasets/chunks.ts';
import { positionsTable } from '../engine/datasets/schema.ts';
import { numbersIn } from '../../child/vector-memory.ts';
import type { IndexRow } from '../engine/datasets/schema.ts';

/**
 * SQL: the points of a map with their number among all of them (`point`, from 0), which is what pages know them by. Rows
 * of the dataset are numbered with holes once some were deleted.
 */
export const numberedPoints = ({ index_id, rows, next_row }: IndexRow): string =>
  rows === next_row
    ? `(SELECT "_row", "_row" AS point FROM ${positionsTable(index_id)})`
    : `(SELECT "_row", row_number() OVER (ORDER BY "_row") - 1 AS point FROM ${positionsTable(index_id)})`;

/** Positions of a map in the order of its rows: all x, then all y, as float32 in the byte order of the machine (a browser on loopback shares it). */
export const positionsOf = async (connection: DuckDBConnection, index: IndexRow): Promise<Uint8Array> => {
  const xy = new Float32Array(index.rows * 2);
  let at = 0;
  for await (const chunk of readChunks(connection, `SELECT x, y FROM ${positionsTable(index.index_id)} ORDER BY "_row"`)) {
    xy.set(numbersIn(chunk.getColumnVector(0), Float32Array), at);
    xy.set(numbersIn(chunk.getColumnVector(1), Float32Array), index.rows + at);
    at += chunk.rowCount;
  }
  return new Uint8Array(xy.buffer);
};

/** Numbers of the points that carry a tag, ascending, as uint32. */
export const taggedPoints = async (connection: DuckDBConnection, index: IndexRow, tagId: string): Promise<Uint8Array> => {
  const points = await readNumbers(
    connection,
    `SELECT point::UINTEGER FROM tagged JOIN ${numberedPoints(index)} USING ("_row") WHERE tag_id = ? ORDER BY point`,
    [tagId],
  );
  return new Uint8Array(points.buffer);
};
