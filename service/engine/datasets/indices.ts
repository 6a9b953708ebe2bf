import { identifier } from '../../../text/sql.ts';
import { randomUUID } from 'node:crypto';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { isoTime } from '../../core/clock.ts';
import { HttpError, invalid, notFound } from '../../core/errors.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { readFacts, select, writeJournal } from './dataset.ts';
import type { Dataset, DatasetState } from './dataset.ts';
import { commitDeletions } from './delete.ts';
import { isBuilding, tablesOf, topicsTable, vectorsTable } from './schema.ts';
import { fewestRows } from '../../../contracts/maps/map-size.ts';
import type { IndexRow } from './schema.ts';
import { run } from './statements.ts';

/** Names of one new index; they are known before it exists, so that a crash leaves nothing that cannot be found. */
export type IndexIds = { index_id: string; job_id: string; projection_id: string };
export const newIndexIds = (): IndexIds => ({ index_id: randomUUID(), job_id: randomUUID(), projection_id: randomUUID() });

export type IndexOrder = {
  index_name: string | null;
  indexed_field: string | null;
  model: string | null;
  random: boolean;
  /** The index whose vectors are taken over. */
  reuse: string | null;
  options: Record<string, unknown>;
};

/** Where the vectors of an index come from; null: random coordinates. */
const dimensionsOf = ({ indexed_field, model, random }: IndexOrder, facts: DatasetState, dimensions: number): number | null => {
  if (random) return null;
  const own = facts.columns.find(({ type }) => type === 'vector');
  if (model === null) {
    if (own && (indexed_field === null || indexed_field === own.name)) return own.dimensions;
    throw invalid(
      'model',
      'null needs a dataset with `_embeddings`, or projection_hyperparameters {"model":"random"} for a map without vectors',
    );
  }
  if (own) throw invalid('model', 'must be null: this dataset brings its own vectors in `_embeddings`');
  const column = facts.columns.find(({ name }) => name === indexed_field);
  if (!column)
    throw invalid(
      'indexed_field',
      `${JSON.stringify(indexed_field)} is not a column of this dataset; its columns are ${facts.columns.map(({ name }) => name).join(', ')}`,
    );
  if (column.type !== 'string')
    throw invalid('indexed_field', `${JSON.stringify(indexed_field)} holds ${column.type} values; only text can be embedded`);
  return dimensions;
};

const tooFew = (rows: number): HttpError =>
  new HttpError(400, `Your project has only ${rows} datums. Please add at least ${fewestRows} datums!`);

const countRows = async (connection: DuckDBConnection): Promise<number> =>
  (await select<{ rows: number }>(connection, 'SELECT rows FROM state'))[0]!.rows;

/**
 * Writes the index in stage Waiting with its journal row; deletions that wait are committed with it; from that commit on the dataset
 * is locked. 400 below 20 rows, 409 while locked, 422 for a wrong field. `sameName`: what becomes of a name that is there. Returns the
 * index of the order, which is another one than that of `ids` where it was there already.
 */
export const createIndex = (
  dataset: Dataset,
  ids: IndexIds,
  order: IndexOrder,
  dimensions: number,
  { moves, sameName }: { moves: boolean; sameName: ReadingOf<'same-index-name'> },
  entry: JournalEntry,
): Promise<IndexIds> =>
  dataset.write(async (connection) => {
    const facts = await readFacts(connection);
    if (facts.columns.length === 0) throw tooFew(facts.rows);
    const own = dimensionsOf(order, facts, dimensions);
    if (facts.locked) throw new HttpError(409, 'Project transaction lock is held');
    const twin = order.index_name === null ? undefined : facts.indices.find(({ index_name }) => index_name === order.index_name);
    if (twin && sameName === 'refused') throw new HttpError(409, `an index named ${JSON.stringify(order.index_name)} is there already`);
    if (twin && sameName === 'existing') return twin;
    await commitDeletions(connection, moves);
    const rows = await countRows(connection);
    if (rows < fewestRows) throw tooFew(rows);
    await run(
      connection,
      `INSERT INTO indices (index_id, job_id, projection_id, index_name, indexed_field, model, options, dimensions, stage, rows, next_row, embedded, kept, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'Waiting', ?, ?, 0, 0, ?)`,
      [
        ids.index_id,
        ids.job_id,
        ids.projection_id,
        order.index_name,
        order.indexed_field,
        order.model,
        JSON.stringify(order.options),
        own,
        rows,
        facts.nextRow,
        isoTime(),
      ],
    );
    if (order.reuse !== null && own !== null && order.model !== null) await reuseVectors(connection, order.reuse, ids.index_id);
    await writeJournal(connection, entry, 1);
    return ids;
  });

/** Takes over the vectors that another index has of the same column by the same model: what is left is to embed. */
const reuseVectors = async (connection: DuckDBConnection, from: string, indexId: string): Promise<void> => {
  await connection.run(`CREATE TABLE ${vectorsTable(indexId)} AS FROM ${vectorsTable(from)} ORDER BY "_row"`);
  await run(
    connection,
    `UPDATE indices SET embedded = (SELECT count(*) FROM ${vectorsTable(indexId)}), kept = (SELECT count(*) FROM ${vectorsTable(indexId)}) WHERE index_id = ?`,
    [indexId],
  );
};

/** What an update brings the indices up to: the version of the data, and which failures it tries again. */
export type UpdatedVersion = { checkpoint: number; failed: string[]; topics?: string[] };

/** Has the topics of an index made anew by its next build. */
const forgetTopics = async (connection: DuckDBConnection, indexId: string): Promise<void> => {
  await connection.run(`DROP TABLE IF EXISTS ${topicsTable(indexId)}`);
  for (const table of ['topic_models', 'topics']) await run(connection, `DELETE FROM ${table} WHERE index_id = ?`, [indexId]);
  await run(connection, 'UPDATE labelled SET topic_depths = 0 WHERE index_id = ?', [indexId]);
};

/**
 * Brings every index up to the data: commits the deletions that wait, and sets each index that lost or lacks rows, or whose
 * last build failed, back to stage Waiting; from that commit on the dataset is locked. Nothing to do, also because it is
 * being done: nothing is written but the journal row. 409 while locked otherwise. `topics`: those of every map that has some are
 * made anew, which without it stay, and take later points in.
 */
export const updateIndices = (
  dataset: Dataset,
  { moves, topics }: { moves: boolean; topics: boolean },
  entry: (version: UpdatedVersion) => JournalEntry,
): Promise<void> =>
  dataset.write(async (connection) => {
    const facts = await readFacts(connection);
    const [waiting] = await select<{ count: number }>(connection, 'SELECT count(*) AS count FROM deleted');
    const renamed = new Set(topics ? facts.labelled.filter(({ topic_depths }) => topic_depths > 0).map(({ index_id }) => index_id) : []);
    const behind = facts.indices.filter(
      ({ index_id, next_row, stage }) => next_row < facts.nextRow || stage === 'Failed' || renamed.has(index_id),
    );
    const isBehind = new Set(behind.map(({ index_id }) => index_id));
    // Trying again what failed is another act than the one that failed.
    const failed = behind.filter(({ stage }) => stage === 'Failed').map(({ index_id, ended_at }) => `${index_id} ${ended_at}`);
    const again = facts.indices.filter(({ index_id }) => renamed.has(index_id)).map(({ index_id, ended_at }) => `${index_id} ${ended_at}`);
    const version = { checkpoint: facts.checkpoint, failed, ...(again.length > 0 ? { topics: again } : {}) };
    if (waiting!.count === 0 && behind.length === 0) return writeJournal(connection, entry(version), 0);
    if (facts.locked) throw new HttpError(409, 'Project transaction lock is held');
    for (const index_id of renamed) await forgetTopics(connection, index_id);
    const before = new Map(facts.indices.map(({ index_id, rows }) => [index_id, rows]));
    const deleted = await commitDeletions(connection, moves);
    const rows = await countRows(connection);
    const indices = (await readFacts(connection)).indices.filter(
      (index) => isBehind.has(index.index_id) || index.rows < before.get(index.index_id)!,
    );
    for (const { index_id, embedded } of indices)
      await run(
        connection,
        "UPDATE indices SET stage = 'Waiting', rows = ?, next_row = ?, kept = ?, error = NULL, started_at = NULL, ended_at = NULL WHERE index_id = ?",
        [rows, facts.nextRow, embedded, index_id],
      );
    await writeJournal(connection, entry(version), deleted + indices.length);
  });

/** One index as committed; 404 where there is none. */
export const indexRow = async (dataset: Dataset, indexId: string): Promise<IndexRow> => {
  const row = (await dataset.facts()).indices.find(({ index_id }) => index_id === indexId);
  if (!row) throw notFound('index', indexId);
  return row;
};

/** Removes an index with vectors, positions and tags of its map. A repeat changes nothing; 409 while it is being built. */
export const removeIndex = (dataset: Dataset, indexId: string, entry: (row: IndexRow | undefined) => JournalEntry): Promise<void> =>
  dataset.write(async (connection) => {
    const [row] = await select<IndexRow>(connection, 'FROM indices WHERE index_id = ?', [indexId]);
    if (row && isBuilding(row)) throw new HttpError(409, 'Project transaction lock is held');
    if (row) {
      await connection.run(
        tablesOf(indexId)
          .map((table) => `DROP TABLE IF EXISTS ${table};`)
          .join(' '),
      );
      await run(connection, 'DELETE FROM tagged WHERE tag_id IN (SELECT tag_id FROM tags WHERE projection_id = ?)', [row.projection_id]);
      await run(connection, 'DELETE FROM tags WHERE projection_id = ?', [row.projection_id]);
      for (const table of ['axes', 'labelled', 'topic_models', 'topics', 'indices'])
        await run(connection, `DELETE FROM ${table} WHERE index_id = ?`, [indexId]);
    }
    await writeJournal(connection, entry(row), row ? 1 : 0);
  });

/** The map and its index, built to the end; 400 while it is not. */
export const readyMap = (facts: DatasetState, projectionId: string): IndexRow => {
  const row = facts.indices.find(({ projection_id }) => projection_id === projectionId);
  if (!row) throw notFound('map', projectionId);
  if (row.stage !== 'Completed') throw new HttpError(400, 'map is not ready');
  return row;
};

/** Table and column that hold the vectors of an index: its own, or the dataset's `_embeddings`. */
export const vectorSource = ({ index_id, model }: IndexRow): { table: string; column: string } =>
  model === null ? { table: 'data', column: identifier('_embeddings') } : { table: vectorsTable(index_id), column: 'vector' };

/**
 * SQL: the vectors of an index (`vector`) with the numbers of their rows. No other column of the dataset is among them: a user names those as
 * he likes, so that one of them could be meant by every name of a query.
 */
export const vectorsByRow = (index: IndexRow): string => {
  const { table, column } = vectorSource(index);
  return `(SELECT "_row", ${column} AS vector FROM ${table})`;
};
