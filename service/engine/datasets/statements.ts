import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement, DuckDBResult, DuckDBValue } from '@duckdb/node-api';

/**
 * Prepared for this one use, in the transaction that uses it: a prepared statement keeps a plan with the largest text length of
 * the time when it was made, and the engine cuts values that are longer (seen: "Embeddi").
 */
const once = async <T>(
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[],
  use: (statement: DuckDBPreparedStatement) => Promise<T>,
): Promise<T> => {
  const statement = await connection.prepare(sql);
  try {
    statement.bind(values);
    return await use(statement);
  } finally {
    statement.destroySync();
  }
};

/** Runs one statement. */
export const run = (connection: DuckDBConnection, sql: string, values: DuckDBValue[] = []): Promise<DuckDBMaterializedResult> =>
  once(connection, sql, values, (statement) => statement.run());

/** Runs one statement whose rows are fetched as they are made. */
export const stream = (connection: DuckDBConnection, sql: string, values: DuckDBValue[] = []): Promise<DuckDBResult> =>
  once(connection, sql, values, (statement) => statement.stream());
