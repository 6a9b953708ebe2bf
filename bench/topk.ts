import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Field, FixedSizeList, Float32, Schema, Table, Utf8, makeData, makeVector, tableToIPC, vectorFromArray } from 'apache-arrow';
import { appendColumns } from '../service/engine/datasets/chunks.ts';
import { randomCoordinates } from '../service/engine/projection/random.ts';
import { line } from '../test/prove/proof.ts';
import { inPairs, median } from './bench.ts';
import type { Bench } from './bench.ts';
import { startService } from './support-service.ts';

const ROWS = 100_000;
const DIMENSIONS = 768;
const SHARD = 5_000;
const K = 10;
/** Queries of one measurement; their median counts. */
const QUERIES = 7;

const idsOf = (from: number): string[] => Array.from({ length: SHARD }, (_, at) => `row-${from + at}`);
/** The same numbers for the same shard, so that both sides hold the same. */
const vectorsOf = (from: number): Float32Array => randomCoordinates((SHARD * DIMENSIONS) / 2, `shard ${from}`);
const queryOf = (seed: string): number[] => Array.from(randomCoordinates(DIMENSIONS / 2, seed));

/** One upload of own vectors as an Arrow IPC file. */
const vectorShard = (project: string, from: number): Uint8Array => {
  const list = new FixedSizeList(DIMENSIONS, new Field('item', new Float32(), false));
  const child = makeData({ type: new Float32(), data: vectorsOf(from) });
  const vectors = makeVector(makeData({ type: list, length: SHARD, nullCount: 0, child }));
  const schema = new Schema(
    [new Field('id', new Utf8(), false), new Field('_embeddings', list, false)],
    new Map([['project_id', project]]),
  );
  return tableToIPC(new Table(schema, { id: vectorFromArray(idsOf(from), new Utf8()), _embeddings: vectors }), 'file');
};

const openTable = async (file: string) => {
  // The settings of the service's own files.
  const instance = await DuckDBInstance.create(file, { threads: '2', memory_limit: '512MB' });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE data ("_row" BIGINT NOT NULL, id VARCHAR, vector FLOAT[${DIMENSIONS}])`);
  for (let from = 0; from < ROWS; from += SHARD)
    await appendColumns(
      connection,
      'data',
      [
        { kind: 'bigint', values: Float64Array.from({ length: SHARD }, (_, at) => from + at) },
        { kind: 'text', values: idsOf(from) },
        { kind: 'vector', values: vectorsOf(from), dimensions: DIMENSIONS },
      ],
      SHARD,
    );
  await connection.run('CHECKPOINT');
  return {
    async topk(query: number[], precision: 'FLOAT' | 'DOUBLE'): Promise<string[]> {
      const as = `::${precision}[${DIMENSIONS}]`;
      const reader = await connection.runAndReadAll(
        `SELECT id, array_cosine_similarity(vector${as}, CAST(? AS FLOAT[${DIMENSIONS}])${as}) AS similarity FROM data ORDER BY similarity DESC LIMIT ${K}`,
        [JSON.stringify(query)],
      );
      return reader.getColumns()[0] as string[];
    },
    close(): void {
      connection.closeSync();
      instance.closeSync();
    },
  };
};

export const bench: Bench = {
  name: 'topk',
  what: `POST /v1/query/topk (k = ${K}) over ${ROWS.toLocaleString('en')} × ${DIMENSIONS} own vectors, against the same query of DuckDB in process, in the same precision, on an equal table`,
  async run({ note, pairs }) {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-bench-'));
    await using service = await startService();
    const table = await openTable(join(folder, 'table.duckdb'));
    try {
      const project = await service.dataset('vectors');
      for (let from = 0; from < ROWS; from += SHARD) await service.call('/v1/project/data/add/arrow', vectorShard(project, from));
      const { map } = await service.index(project, {});
      note(`${ROWS.toLocaleString('en')} vectors loaded and mapped`);
      const ask = async (query: number[]): Promise<string[]> => {
        const { data } = await service.call<{ data: { id: string }[] }>('/v1/query/topk', {
          projection_id: map,
          k: K,
          fields: ['id'],
          query,
        });
        return data.map(({ id }) => id);
      };
      let same = 0;
      for (let at = 0; at < QUERIES; at++) {
        const query = queryOf(`check ${at}`);
        if (JSON.stringify(await ask(query)) === JSON.stringify(await table.topk(query, 'DOUBLE'))) same += 1;
      }

      let seed = 0;
      const milliseconds = (search: (query: number[]) => Promise<unknown>) => async (): Promise<number> => {
        const took: number[] = [];
        for (let at = 0; at < QUERIES; at++) {
          const query = queryOf(`query ${seed++}`);
          const started = performance.now();
          await search(query);
          took.push(performance.now() - started);
        }
        return median(took);
      };
      const { ours, baseline, ratio } = await inPairs(
        pairs,
        milliseconds(ask),
        milliseconds((query) => table.topk(query, 'DOUBLE')),
        note,
      );
      // The engine's query as most would write it, whose numbers are wrong of very long and very short vectors: no bar.
      const single = await inPairs(
        pairs,
        milliseconds(ask),
        milliseconds((query) => table.topk(query, 'FLOAT')),
        note,
      );
      note(`against single precision: ${single.ratio.toFixed(2)} (${single.ours.toFixed(1)} / ${single.baseline.toFixed(1)} ms)`);
      return {
        lines: [
          line('the same ids in the same order from both', `${same} of ${QUERIES} queries`, `${QUERIES}`, same === QUERIES),
          line('top-k, service / DuckDB', `${ratio.toFixed(2)} (${ours.toFixed(1)} / ${baseline.toFixed(1)} ms)`, '≤ 1.20', ratio <= 1.2),
        ],
        figures: { ours_ms: ours, duckdb_ms: baseline, ratio, single_ms: single.baseline, single_ratio: single.ratio },
      };
    } finally {
      table.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
