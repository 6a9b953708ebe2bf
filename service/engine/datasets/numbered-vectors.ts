import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { readNumbers, readVectors } from './chunks.ts';
import { vectorSource } from './indices.ts';
import type { IndexRow } from './schema.ts';

/** Vectors of an index with the numbers of their rows, in their order; `where`: of some rows only. */
export const numberedVectors = async (
  connection: DuckDBConnection,
  index: IndexRow,
  where = 'true',
  values: DuckDBValue[] = [],
): Promise<{ rows: Uint32Array; vectors: Float32Array }> => {
  const { table, column } = vectorSource(index);
  const from = `FROM ${table} WHERE "_row" < ? AND ${where} ORDER BY "_row"`;
  const rows = await readNumbers(connection, `SELECT "_row"::UINTEGER ${from}`, [index.next_row, ...values]);
  const vectors = await readVectors(connection, `SELECT ${column} ${from}`, [index.next_row, ...values]);
  return { rows, vectors };
};
