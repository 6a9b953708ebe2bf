import type { DuckDBConnection } from '@duckdb/node-api';
import { positionsTable } from '../datasets/schema.ts';
import type { IndexRow } from '../datasets/schema.ts';

/** Positions of a map in the order of its rows: all x, then all y, as float32 in the byte order of the machine (a browser on loopback shares it). */
export const positionsOf = async (connection: DuckDBConnection, index: IndexRow): Promise<Uint8Array> => {
  const xy = new Float32Array(index.rows * 2);
  const result = await connection.stream(`SELECT x, y FROM ${positionsTable(index.index_id)} ORDER BY "_row"`);
  let at = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    xy.set(chunk.getColumnValues(0) as number[], at);
    xy.set(chunk.getColumnValues(1) as number[], index.rows + at);
    at += chunk.rowCount;
  }
  return new Uint8Array(xy.buffer);
};

/** Numbers of the rows that carry a tag, ascending, as uint32. */
export const taggedRows = async (connection: DuckDBConnection, tagId: string): Promise<Uint8Array> => {
  const reader = await connection.runAndReadAll('SELECT "_row"::UINTEGER FROM tagged WHERE tag_id = ? ORDER BY "_row"', [tagId]);
  return new Uint8Array(Uint32Array.from((reader.getColumns()[0] ?? []) as number[]).buffer);
};
