import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from '../../../text/sql.ts';
import type { Computing } from '../compute/compute.ts';
import { topicSample, type TopicModel } from '../labels/topics.ts';
import type { TopicName } from '../labels/names.ts';
import { appendColumns } from './chunks.ts';
import { select, type Dataset, type DatasetState } from './dataset.ts';
import { numberedVectors } from './numbered-vectors.ts';
import { positionsTable, topicColumn, topicsTable } from './schema.ts';
import type { IndexRow } from './schema.ts';

/** Rows whose topics are found in one go, and texts that topics are named by; of a long one its beginning. */
const BATCH_ROWS = 20_000;
const NAMED_BY = { texts: 50_000, letters: 600 };

/** The column whose texts name the topics: the one that was asked for, the one that was embedded, or the first text that is no id. */
const textField = ({ columns, idField }: DatasetState, index: IndexRow, asked: string | null): string | undefined => {
  const texts = columns.filter(({ name, type }) => type === 'string' && !name.startsWith('_')).map(({ name }) => name);
  return texts.find((name) => name === (asked ?? index.indexed_field)) ?? texts.find((name) => name !== idField);
};

/** Topics that were made, and their names, without which a kill may have left them. */
type Kept = { model: TopicModel; names: TopicName[] | null };

const keptTopics = async (connection: DuckDBConnection, { index_id }: IndexRow): Promise<Kept | undefined> => {
  const [found] = await select<{ model: string; names: string | null }>(
    connection,
    'SELECT model, names FROM topic_models WHERE index_id = ?',
    [index_id],
  );
  return (
    found && { model: JSON.parse(found.model) as TopicModel, names: found.names === null ? null : (JSON.parse(found.names) as TopicName[]) }
  );
};

const columnsOf = ({ depths }: TopicModel): string[] => depths.map((_, at) => identifier(topicColumn(at + 1).name));

/** Fits topics on some of the vectors, evenly over all rows. */
const fitted = async (dataset: Dataset, index: IndexRow, computing: Computing): Promise<TopicModel> => {
  const step = Math.max(1, Math.ceil(index.rows / topicSample));
  const { vectors } = await dataset.read((connection) => numberedVectors(connection, index, '"_row" % ? = 0', [step]));
  return computing.run('fitTopics', vectors, index.dimensions!, index.rows);
};

/** Finds the topics of the rows that have none yet. */
const assign = async (dataset: Dataset, index: IndexRow, model: TopicModel, computing: Computing): Promise<void> => {
  const { index_id } = index;
  const table = topicsTable(index_id);
  const first = await dataset.read(async (connection) => {
    const [last] = await select<{ row: number | null }>(connection, `SELECT max("_row") AS "row" FROM ${table}`);
    return (last!.row ?? -1) + 1;
  });
  for (let from = first; from < index.next_row; from += BATCH_ROWS) {
    const { rows, vectors } = await dataset.read((connection) =>
      numberedVectors(connection, index, '"_row" >= ? AND "_row" < ?', [from, from + BATCH_ROWS]),
    );
    if (rows.length === 0) continue;
    const leaves = await computing.run('leavesOf', vectors, model);
    await dataset.write((connection) =>
      appendColumns(
        connection,
        `topics ${index_id}`,
        [
          { kind: 'bigint', values: rows },
          ...model.depths.map((topics) => ({ kind: 'integer' as const, values: Int32Array.from(leaves, (leaf) => topics[leaf]!) })),
        ],
        rows.length,
      ),
    );
  }
};

/** Names of all topics, by texts of the points. */
const named = async (dataset: Dataset, index: IndexRow, field: string | undefined, model: TopicModel, computing: Computing) => {
  const finest = columnsOf(model).at(-1)!;
  const step = Math.max(1, Math.ceil(index.rows / NAMED_BY.texts));
  const found =
    field === undefined
      ? []
      : await dataset.read((connection) =>
          select<{ topic: number; text: string }>(
            connection,
            `SELECT ${finest} AS topic, left(${identifier(field)}, ?) AS text FROM ${topicsTable(index.index_id)} JOIN data USING ("_row") WHERE "_row" % ? = 0 ORDER BY "_row"`,
            [NAMED_BY.letters, step],
          ),
        );
  const leafOf = new Map(model.depths.at(-1)!.map((topic, leaf) => [topic, leaf]));
  return computing.run(
    'nameTopics',
    found.map(({ text }) => text),
    Uint16Array.from(found, ({ topic }) => leafOf.get(topic)!),
    model.depths,
  );
};

/** Counts the points of each topic, and puts its label in the middle of them; a topic that has none is none. */
export const describeTopics = async (
  connection: DuckDBConnection,
  { index_id }: Pick<IndexRow, 'index_id'>,
  model: TopicModel,
  names: readonly TopicName[],
): Promise<void> => {
  const parts = columnsOf(model).map(
    (column, at) =>
      `SELECT ${column} AS topic, ${at + 1} AS depth, ${at === 0 ? 'NULL' : `min(${columnsOf(model)[at - 1]})`} AS parent, count(*) AS points, median(x) AS x, median(y) AS y
       FROM ${topicsTable(index_id)} JOIN ${positionsTable(index_id)} USING ("_row") GROUP BY ${column}`,
  );
  await connection.run('DELETE FROM topics WHERE index_id = ?', [index_id]);
  await connection.run(
    `INSERT INTO topics SELECT ?, topic, depth, parent, named.short, named.description, points, x, y FROM (${parts.join(' UNION ALL ')})
     JOIN (SELECT unnest(from_json(CAST(? AS VARCHAR), '[{"topic":"INTEGER","short":"VARCHAR","description":"VARCHAR"}]'), recursive := true)) AS named USING (topic)`,
    [index_id, JSON.stringify(names)],
  );
};

/**
 * Gives the points of an index their topics and returns at how many depths. Topics that are there stay, and later points find the
 * nearest of them; where there are none they are made and named.
 */
export const labelTopics = async (dataset: Dataset, index: IndexRow, asked: string | null, computing: Computing): Promise<number> => {
  const kept = await dataset.read((connection) => keptTopics(connection, index));
  const model = kept?.model ?? (await fitted(dataset, index, computing));
  if (!kept)
    await dataset.write(async (connection) => {
      const columns = columnsOf(model).map((column) => `${column} INTEGER NOT NULL`);
      await connection.run(`CREATE OR REPLACE TABLE ${topicsTable(index.index_id)} ("_row" BIGINT NOT NULL, ${columns.join(', ')})`);
      await connection.run('INSERT INTO topic_models VALUES (?, ?, NULL)', [index.index_id, JSON.stringify(model)]);
    });
  await assign(dataset, index, model, computing);
  const names = kept?.names ?? (await named(dataset, index, textField(await dataset.facts(), index, asked), model, computing));
  await dataset.write(async (connection) => {
    await describeTopics(connection, index, model, names);
    await connection.run('UPDATE topic_models SET names = ? WHERE index_id = ?', [JSON.stringify(names), index.index_id]);
  });
  return model.depths.length;
};
