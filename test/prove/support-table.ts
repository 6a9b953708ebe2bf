import { DuckDBInstance } from '@duckdb/node-api';

/** One row of a query over files, in plain JSON. */
export async function askFiles<T>(sql: string): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()[0] as T;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
