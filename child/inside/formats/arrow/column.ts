import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { Data } from 'apache-arrow';

/** The value of a row, null where it has none. */
export type ValueAt = (row: number) => DuckDBValue;

/**
 * How a column of an Arrow file is held: its DuckDB type, and its values. They are read from the buffers and not through
 * the library, which gives times in floating milliseconds and takes a byte order mark off a text.
 */
export type ArrowColumn = { duck: DuckDBType; read: (data: Data) => ValueAt };

/** A column by the values of its rows that are not null. */
export const column = (duck: DuckDBType, read: (data: Data) => ValueAt): ArrowColumn => ({
  duck,
  read(data) {
    const value = read(data);
    return data.nullCount === 0 ? value : (row) => (data.getValid(row) ? value(row) : null);
  },
});
