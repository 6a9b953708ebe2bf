import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll } from 'vitest';
import { createTables, type TablesOptions } from '../../child/host/create-tables.ts';
import type { RejectedRow, ShardRequest, ShardResult, ShardRows, Tables } from '../../child/tables.ts';

/** A file of the vega-datasets package. */
export const sample = (name: string): string => fileURLToPath(new URL(`../../node_modules/vega-datasets/data/${name}`, import.meta.url));

export type Bench = AsyncDisposable & {
  tables: Tables;
  folder: string;
  /** Writes a file into the folder and returns its path. */
  file(name: string, content: string | Uint8Array): Promise<string>;
  /** Shards with defaults for what a test does not care about. */
  shard(request: Partial<ShardRequest> & Pick<ShardRequest, 'source'>): Promise<ShardResult>;
  rows(result: ShardResult): Promise<ShardRows>;
  rejects(result: ShardResult): Promise<RejectedRow[]>;
};

/** Children that all benches of a test file use which ask for no limits of their own: one takes half a second to start. */
let shared: Tables | undefined;
afterAll(async () => {
  await shared?.close();
  shared = undefined;
});

export async function createBench(options?: TablesOptions): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-child-test-'));
  const tables = options ? createTables({ tempDir: folder, ...options }) : (shared ??= createTables());
  let made = 0;
  return {
    tables,
    folder,
    async file(name, content) {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    },
    shard: (request) =>
      tables.shard({
        into: join(folder, `out-${++made}`),
        projectId: 'project-1',
        idField: 'id_',
        id: { row: true },
        maxRows: 5_000,
        maxBytes: 16_000_000,
        ...request,
      }),
    async rows({ shards }) {
      const all: ShardRows = { ids: [], rows: [] };
      for (const { file } of shards) {
        const { ids, rows } = await tables.readShard(file);
        all.ids.push(...ids);
        all.rows.push(...rows);
      }
      return all;
    },
    rejects: async ({ rejectsFile }) =>
      (await readFile(rejectsFile, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RejectedRow])),
    async [Symbol.asyncDispose]() {
      if (options) await tables.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Message and verdict of a refusal, or what came instead. */
export const refusal = (promise: Promise<unknown>): Promise<{ verdict: unknown; message: string }> =>
  promise.then(
    (value) => ({ verdict: 'none', message: JSON.stringify(value) }),
    (error: Error & { verdict?: unknown }) => ({ verdict: error.verdict, message: error.message }),
  );

/** Writes what a select of DuckDB gives as a Parquet file, and returns its path. */
export async function parquetOf(folder: string, select: string, name: string): Promise<string> {
  const path = join(folder, name);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`copy (${select}) to '${path}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  return path;
}
