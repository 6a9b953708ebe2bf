import { identifier } from '../../../text/sql.ts';
import { isoTime } from '../../core/clock.ts';
import type { Embedder } from '../embedding/embedder.ts';
import { isTextModel, isVisionModel } from '../../../contracts/maps/models.ts';
import { appendColumns } from './chunks.ts';
import { select } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { vectorSource } from './indices.ts';
import { labelRows } from './label.ts';
import { placeRows } from './place.ts';
import { vectorsTable } from './schema.ts';
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

/** Rows that have a vector are below the answer; deleted ones among them are gone from the data too. */
const firstUnembedded = async ({ dataset, index }: Build): Promise<number> => {
  await dataset.write((connection) =>
    connection.run(
      `CREATE TABLE IF NOT EXISTS ${vectorsTable(index.index_id)} ("_row" BIGINT NOT NULL, vector FLOAT[${index.dimensions}] NOT NULL)`,
    ),
  );
  const [last] = await dataset.read((connection) =>
    select<{ row: number | null }>(connection, `SELECT max("_row") AS "row" FROM ${vectorsTable(index.index_id)}`),
  );
  return (last!.row ?? -1) + 1;
};

const embed = async (build: Build): Promise<void> => {
  const { dataset, index, embedder, signal } = build;
  const { model, dimensions } = index;
  if (model === null || dimensions === null || index.embedded === index.rows) return;
  if (!isTextModel(model) && !isVisionModel(model)) throw new Error(`unknown model ${JSON.stringify(model)}`);
  let from = await firstUnembedded(build);
  let size = BATCH_ROWS.first;
  for (;;) {
    signal.throwIfAborted();
    const started = performance.now();
    const batch = await dataset.read((connection) =>
      select<{ row: number; text: string }>(
        connection,
        `SELECT "_row" AS "row", ${identifier(index.indexed_field!)} AS text FROM data WHERE "_row" >= ? AND "_row" < ? ORDER BY "_row" LIMIT ?`,
        [from, index.next_row, size],
      ),
    );
    if (batch.length === 0) return;
    const vectors = await embedder.embed(
      batch.map(({ text }) => text),
      'search_document',
      model,
    );
    // The count of embedded rows is committed with their vectors: a build goes on exactly where it was.
    await dataset.write(async (connection) => {
      await appendColumns(
        connection,
        `vectors ${index.index_id}`,
        [
          { kind: 'bigint', values: Float64Array.from(batch, ({ row }) => row) },
          { kind: 'vector', values: vectors, dimensions },
        ],
        batch.length,
      );
      await connection.run('UPDATE indices SET embedded = embedded + ? WHERE index_id = ?', [batch.length, index.index_id]);
    });
    from = batch.at(-1)!.row + 1;
    const scale = BATCH_MS / Math.max(1, performance.now() - started);
    size = Math.round(Math.min(BATCH_ROWS.most, Math.max(BATCH_ROWS.first, size * Math.min(4, scale))));
  }
};

/** Search is exact and needs no structure of its own; what it needs is a vector for every row of the map. */
const checkVectors = async ({ dataset, index }: Build): Promise<void> => {
  if (index.dimensions === null) return;
  const { table, column } = vectorSource(index);
  const [row] = await dataset.read((connection) =>
    select<{ rows: number }>(connection, `SELECT count(${column}) AS rows FROM ${table} WHERE "_row" < ?`, [index.next_row]),
  );
  if (row!.rows !== index.rows) throw new Error(`${row!.rows} vectors for ${index.rows} rows`);
};

const project = ({ dataset, index, signal }: Build): Promise<void> => placeRows(dataset, index, signal);

/** What each stage does; the next one is committed when it is done. */
const steps: Record<Exclude<Stage, 'Completed' | 'Failed'>, { work?: (build: Build) => Promise<void>; next: Next }> = {
  Waiting: { next: 'Embedding' },
  Embedding: { work: embed, next: 'Indexing' },
  Indexing: { work: checkVectors, next: 'Projecting' },
  Projecting: { work: project, next: 'again' },
  Labeling: { work: ({ dataset, index, signal }) => labelRows(dataset, index, signal), next: 'Completed' },
};

const end = (dataset: Dataset, indexId: string, stage: 'Completed' | 'Failed', error: string | null): Promise<unknown> =>
  dataset.write((connection) =>
    connection.run('UPDATE indices SET stage = ?, error = ?, ended_at = ? WHERE index_id = ?', [stage, error, isoTime(), indexId]),
  );

/**
 * Takes an index from its committed stage to Completed or Failed; a build and an update are the same but for what is there already. Rejects only where `signal` stopped it, and then
 * a later call goes on from there.
 */
export const buildIndex = async (dataset: Dataset, indexId: string, embedder: Embedder, signal: AbortSignal): Promise<void> => {
  try {
    for (;;) {
      signal.throwIfAborted();
      const index = (await dataset.facts()).indices.find(({ index_id }) => index_id === indexId);
      // One that was removed has nothing left to build.
      if (!index || index.stage === 'Completed' || index.stage === 'Failed') return;
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
