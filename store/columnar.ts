import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import type parquet from 'parquetjs-lite';
import { commitFile, temporaryName } from './whole-file.ts';

/** Columns of the run store's files. */
export type Columns = ConstructorParameters<typeof parquet.ParquetSchema>[0];

/** Writes rows as one Parquet file, whole. */
export async function writeParquet(path: string, columns: Columns, rows: Iterable<Record<string, unknown>>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const { default: parquet } = await loadWriter();
  const temporary = temporaryName(path);
  const writer = await parquet.ParquetWriter.openFile(new parquet.ParquetSchema(columns), temporary, {
    rowGroupSize: 10_000,
    useDataPageV2: false,
  });
  for (const row of rows) await writer.appendRow(row);
  await writer.close();
  await commitFile(temporary, path);
}

// Both libraries are loaded when they are needed: the command line knows the store without reading it.
const loadWriter = () => import('parquetjs-lite');

let instance: Promise<DuckDBInstance> | undefined;
const database = (): Promise<DuckDBInstance> =>
  (instance ??= import('@duckdb/node-api').then((duckdb) =>
    duckdb.DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '256MB' }),
  ));

/** Loads both libraries ahead of their first use. */
export const warmColumnar = (): Promise<unknown> => Promise.all([loadWriter(), database()]);

/** Runs a query over files of the run store. They are our own, so they are read in this process. */
export async function queryFiles<T>(sql: string, params: (string | number)[] = []): Promise<T[]> {
  const connection = await (await database()).connect();
  try {
    const reader = await connection.runAndReadAll(sql, params);
    return reader.getRowObjectsJson() as T[];
  } finally {
    connection.closeSync();
  }
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
