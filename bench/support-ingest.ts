import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { outputOf, startText } from '../test/prove/support-run.ts';
import type { Stack } from '../test/support/stack.ts';

const flights = fileURLToPath(new URL('../node_modules/vega-datasets/data/flights-3m.parquet', import.meta.url));

/** The first rows of flights-3m as a Parquet file of its own. */
export async function flightsOf(rows: number): Promise<{ file: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-bench-'));
  const file = join(folder, 'flights.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`copy (select * from '${flights}' limit ${rows}) to '${file}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Calls under way at a time, of both ways: the window of `dataset.append`. */
export const concurrency = 4;

const pipeline = `
name: ingest
params:
  source: { type: path }
  dataset: { type: string }
steps:
  rows: { use: dataset.append, with: { dataset: "\${{ params.dataset }}", source: "\${{ params.source }}", id: { row: true } }, window: ${concurrency} }
concurrency: null
`;

/** Rows of a file into a dataset that is there and empty, by a run: from its start to its end. */
export async function ingestByRun(
  stack: Stack,
  file: string,
  dataset: string,
  connection: string,
): Promise<{ seconds: number; rows: number }> {
  const started = performance.now();
  const run = await startText(stack, pipeline, { source: file, dataset }, { connection });
  const view = await run.ended(1_200_000);
  const seconds = (performance.now() - started) / 1_000;
  return { seconds, rows: outputOf(view, 'rows')['added'] as number };
}

/** What the script is given, and what it reports. */
export type ScriptInput = { url: string; token: string; file: string; dataset: string; idField: string; concurrency: number };
export type ScriptOutcome = { seconds: number; cpu: number; rows: number };
