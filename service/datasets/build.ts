import { isoTime } from '../clock.ts';
import type { Embedder } from '../embedding/provider.ts';
import { projectInThread } from '../projection/in-thread.ts';
import { appendColumns, readVectors } from './chunks.ts';
import { select } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { indexRow, vectorSource } from './indices.ts';
import { positionsTable, quoted, vectorsTable } from './schema.ts';
import type { IndexRow, Stage } from './schema.ts';

/** Aim of one embedding batch, so that progress and a kill cost little. */
const BATCH_MS = 300;
const BATCH_ROWS = { first: 32, most: 1_024 };

type Build = { dataset: Dataset; index: IndexRow; embedder: Embedder; signal: AbortSignal };
type Next = Stage | 'again';

const setStage = ({ dataset, index }: Build, stage: Stage): Promise<unknown> =>
  dataset.write((connection) =>
    connection.run('UPDATE indices SET stage = ?, started_at = coalesce(started_at, ?) WHERE index_id = ?', [
      stage,
      isoTime(),
      index.index_id,
    ]),
  );

const embed = async ({ dataset, index, embedder, signal }: Build): Promise<void> => {
  if (index.model === null || index.dimensions === null) return;
  const table = vectorsTable(index.index_id);
  let done = index.embedded;
  let size = BATCH_ROWS.first;
  while (done < index.rows) {
    signal.throwIfAborted();
    const started = performance.now();
    const count = Math.min(size, index.rows - done);
    const texts = await dataset.read((connection) =>
      select<{ text: string }>(
        connection,
        `SELECT ${quoted(index.indexed_field!)} AS text FROM data WHERE "_row" >= ? AND "_row" < ? ORDER BY "_row"`,
        [done, done + count],
      ),
    );
    const vectors = await embedder.embed(
      texts.map(({ text }) => text),
      'search_document',
      index.model,
    );
    // The count of embedded rows is committed with their vectors: a build goes on exactly where it was.
    await dataset.write(async (connection) => {
      await connection.run(`CREATE TABLE IF NOT EXISTS ${table} ("_row" BIGINT NOT NULL, vector FLOAT[${index.dimensions}] NOT NULL)`);
      await appendColumns(
        connection,
        `vectors ${index.index_id}`,
        [
          { kind: 'bigint', values: Array.from({ length: count }, (_, at) => done + at) },
          { kind: 'vector', values: vectors, dimensions: index.dimensions! },
        ],
        count,
      );
      await connection.run('UPDATE indices SET embedded = ? WHERE index_id = ?', [done + count, index.index_id]);
    });
    done += count;
    const scale = BATCH_MS / Math.max(1, performance.now() - started);
    size = Math.round(Math.min(BATCH_ROWS.most, Math.max(BATCH_ROWS.first, size * Math.min(4, scale))));
  }
};

/** Search is exact and needs no structure of its own; what it needs is a vector for every row of the map. */
const checkVectors = async ({ dataset, index }: Build): Promise<void> => {
  if (index.dimensions === null) return;
  const { table, column } = vectorSource(index);
  const [row] = await dataset.read((connection) =>
    select<{ rows: number }>(connection, `SELECT count(${column}) AS rows FROM ${table} WHERE "_row" < ?`, [index.rows]),
  );
  if (row!.rows !== index.rows) throw new Error(`${row!.rows} vectors for ${index.rows} rows`);
};

const project = async ({ dataset, index, signal }: Build): Promise<void> => {
  const { table, column } = vectorSource(index);
  const { dimensions } = index;
  const { xy, tix, rix } = await projectInThread(
    dimensions === null
      ? { points: index.rows, seed: index.index_id }
      : {
          vectors: await dataset.read((connection) =>
            readVectors(connection, `SELECT ${column} FROM ${table} WHERE "_row" < ${index.rows} ORDER BY "_row"`, index.rows, dimensions),
          ),
          dims: dimensions,
        },
    { signal },
  );
  await dataset.write(async (connection) => {
    await connection.run(
      `CREATE OR REPLACE TABLE ${positionsTable(index.index_id)} ("_row" BIGINT NOT NULL, x FLOAT NOT NULL, y FLOAT NOT NULL, tix UINTEGER NOT NULL, rix UINTEGER NOT NULL)`,
    );
    await appendColumns(
      connection,
      `positions ${index.index_id}`,
      [
        { kind: 'bigint', values: Array.from({ length: index.rows }, (_, row) => row) },
        { kind: 'float', values: Array.from({ length: index.rows }, (_, row) => xy[row * 2]!) },
        { kind: 'float', values: Array.from({ length: index.rows }, (_, row) => xy[row * 2 + 1]!) },
        { kind: 'unsigned', values: Array.from(tix) },
        { kind: 'unsigned', values: Array.from(rix) },
      ],
      index.rows,
    );
    // With the positions, so that a kill between the two repeats nothing.
    await connection.run("UPDATE indices SET stage = 'Labeling' WHERE index_id = ?", [index.index_id]);
  });
};

/** What each stage does; the next one is committed when it is done. */
const steps: Record<Exclude<Stage, 'Completed' | 'Failed'>, { work?: (build: Build) => Promise<void>; next: Next }> = {
  Waiting: { next: 'Embedding' },
  Embedding: { work: embed, next: 'Indexing' },
  Indexing: { work: checkVectors, next: 'Projecting' },
  Projecting: { work: project, next: 'again' },
  // Topics are not built by the local service: no labels, an empty list of topics in the map.
  Labeling: { next: 'Completed' },
};

const end = (dataset: Dataset, indexId: string, stage: 'Completed' | 'Failed', error: string | null): Promise<unknown> =>
  dataset.write((connection) =>
    connection.run('UPDATE indices SET stage = ?, error = ?, ended_at = ? WHERE index_id = ?', [stage, error, isoTime(), indexId]),
  );

/**
 * Takes an index from its committed stage to Completed or Failed. Rejects only where `signal` stopped it, and then
 * a later call goes on from there.
 */
export const buildIndex = async (dataset: Dataset, indexId: string, embedder: Embedder, signal: AbortSignal): Promise<void> => {
  try {
    for (;;) {
      signal.throwIfAborted();
      const index = await indexRow(dataset, indexId);
      if (index.stage === 'Completed' || index.stage === 'Failed') return;
      const { work, next } = steps[index.stage];
      const build = { dataset, index, embedder, signal };
      await work?.(build);
      if (next === 'Completed') await end(dataset, indexId, 'Completed', null);
      else if (next !== 'again') await setStage(build, next);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    await end(dataset, indexId, 'Failed', error instanceof Error ? error.message : String(error));
  }
};
