import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement, DuckDBResult, DuckDBValue } from '@duckdb/node-api';

/**
 * Prepared for this one use. A statement that is kept keeps a plan made from the statistics of its day: tried, a later run
 * cut longer texts to the longest of that day ("Embeddi").
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
