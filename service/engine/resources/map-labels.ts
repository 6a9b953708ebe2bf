import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from '../../../text/sql.ts';
import { readNumbers } from '../datasets/chunks.ts';
import { describeTopics } from '../datasets/label-topics.ts';
import { duplicateColumns, duplicatesTable, topicColumn, topicsTable } from '../datasets/schema.ts';
import { run } from '../datasets/statements.ts';
import type { TopicName } from '../labels/names.ts';
import type { TopicModel } from '../labels/topics.ts';
import { groupColumns, vectorsOf, type Making } from './making.ts';
import type { MapParts } from './map-parts.ts';
import { resourceTable } from './store.ts';

/** What the points of a map are given beside their places, as an index is ordered with it and keeps it. */
export type MapLabels = {
  options: { topic_model_hyperparameters?: string; duplicate_detection_hyperparameters?: string };
  write(connection: DuckDBConnection, indexId: string): Promise<void>;
};

type Topics = { model: TopicModel; names: TopicName[] };

/** The groups as a model of topics: later points find the group whose middle is nearest. Points of no group by density have no middle. */
const topicsOf = async (making: Making, { groups, names, vectors }: MapParts): Promise<Topics> => {
  const depths = groups!.result!['depths'] as number[][];
  const finest = identifier(groupColumns(groups!).at(-1)!);
  const { values, dims } = await vectorsOf(making, vectors!);
  // Which of the finest groups each point is in, counted from 1; 0: in none of these.
  const placesAmong = (topics: readonly number[]): Promise<Uint32Array> =>
    making.dataset.read((connection) =>
      readNumbers(
        connection,
        `SELECT coalesce(list_position(from_json(CAST(? AS VARCHAR), '["INTEGER"]'), ${finest}), 0)::UINTEGER FROM ${resourceTable(groups!.id)} ORDER BY "_row"`,
        [JSON.stringify(topics)],
      ),
    );
  const filled = new Set(await placesAmong(depths.at(-1)!));
  const leaves = [...depths.at(-1)!.keys()].filter((leaf) => filled.has(leaf + 1));
  const dense = leaves.filter((leaf) => depths.at(-1)![leaf]! >= 0);
  const kept = dense.length > 0 ? dense : leaves;
  const model = { dims, depths: depths.map((topics) => kept.map((leaf) => topics[leaf]!)) };
  const among = Int32Array.from(await placesAmong(model.depths.at(-1)!), (place) => place - 1);
  const centres = await making.computing.run('middlesOf', values, dims, among, kept.length);
  const named = names?.result!['topics'] as { topic: number; topic_short_description: string; topic_description: string }[] | undefined;
  return {
    model: { ...model, centres },
    names:
      named?.map((each) => ({ topic: each.topic, short: each.topic_short_description, description: each.topic_description })) ??
      (await making.computing.run('nameTopics', [], new Uint16Array(), depths)),
  };
};

const writeTopics = async (
  connection: DuckDBConnection,
  index_id: string,
  { groups }: MapParts,
  { model, names }: Topics,
): Promise<void> => {
  const columns = groupColumns(groups!).map((name, at) => `${identifier(name)} AS ${identifier(topicColumn(at + 1).name)}`);
  await connection.run(
    `CREATE TABLE ${topicsTable(index_id)} AS SELECT "_row", ${columns.join(', ')} FROM ${resourceTable(groups!.id)} ORDER BY "_row"`,
  );
  await run(connection, 'INSERT INTO topic_models VALUES (?, ?, ?)', [index_id, JSON.stringify(model), JSON.stringify(names)]);
  await describeTopics(connection, { index_id }, model, names);
};

const writeDuplicates = async (connection: DuckDBConnection, indexId: string, { duplicates }: MapParts): Promise<void> => {
  const [kind, cluster] = duplicateColumns.map(({ name }) => identifier(name));
  await connection.run(
    `CREATE TABLE ${duplicatesTable(indexId)} AS SELECT "_row", class AS ${kind}, cluster AS ${cluster} FROM ${resourceTable(duplicates!.id)} ORDER BY "_row"`,
  );
};

/** The topics and duplicates of a map of resources, into the tables of one that was built as an index. */
export const mapLabels = async (making: Making, parts: MapParts): Promise<MapLabels> => {
  const { groups, names, duplicates } = parts;
  const topics = groups && (await topicsOf(making, parts));
  const field = names?.params['target_field'] as string | undefined;
  return {
    options: {
      ...(topics
        ? { topic_model_hyperparameters: JSON.stringify({ build_topic_model: true, community_description_target_field: field ?? null }) }
        : {}),
      ...(duplicates
        ? {
            duplicate_detection_hyperparameters: JSON.stringify({
              tag_duplicates: true,
              duplicate_cutoff: duplicates.params['duplicate_cutoff'],
            }),
          }
        : {}),
    },
    async write(connection, indexId) {
      if (topics) await writeTopics(connection, indexId, parts, topics);
      if (duplicates) await writeDuplicates(connection, indexId, parts);
      if (topics || duplicates)
        await run(connection, 'INSERT INTO labelled VALUES (?, ?, ?)', [
          indexId,
          topics?.model.depths.length ?? 0,
          duplicates !== undefined,
        ]);
    },
  };
};
