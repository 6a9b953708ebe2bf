import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuckDb } from '../../files/open-duckdb.ts';
import { literal } from '../../text/sql.ts';

export type Engine = AsyncDisposable & {
  connection: DuckDBConnection;
  /** Rows as plain objects. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  run(sql: string): Promise<void>;
};

/**
 * An in-memory DuckDB that can read the given files and nothing else, for one request. `memoryMb` bounds its
 * buffers, a folder under `tempDir` takes what spills. Tables of ours stand in the schema `own`: the names of
 * `main` are those of a user's query.
 */
export async function openEngine(options: {
  files?: readonly string[];
  tempDir: string;
  memoryMb: number;
  tempGiB: number;
}): Promise<Engine> {
  const spill = await mkdtemp(join(options.tempDir, 'spill-'));
  // One thread: a second one doubles what a row group of long texts takes.
  const instance = await openDuckDb(':memory:', { threads: '1', memory_limit: `${options.memoryMb}MiB` });
  const connection = await instance.connect();
  const run = async (sql: string): Promise<void> => void (await connection.run(sql));
  // The order matters: access is closed after the paths are named, and the lock comes last.
  for (const setting of [
    'autoinstall_known_extensions = false',
    'autoload_known_extensions = false',
    `TimeZone = 'UTC'`,
    `temp_directory = ${literal(spill)}`,
    `max_temp_directory_size = '${options.tempGiB}GiB'`,
    `allowed_paths = [${(options.files ?? []).map(literal).join(', ')}]`,
    // How far a statement is; never printed.
    'enable_progress_bar = true',
    'enable_progress_bar_print = false',
    'enable_external_access = false',
    'lock_configuration = true',
  ])
    await run(`set ${setting}`);
  await run('create schema own');
  return {
    connection,
    run,
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS(),
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
      await rm(spill, { recursive: true, force: true });
    },
  };
}
