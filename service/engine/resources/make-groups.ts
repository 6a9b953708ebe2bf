import { identifier } from '../../../text/sql.ts';
import { select } from '../datasets/dataset.ts';
import { duplicateClasses } from '../labels/duplicates.ts';
import { topicSample } from '../labels/topics.ts';
import { atMost, columnOf, countsOf, groupColumns, text, Unmakeable, vectorsOf, whole, writing, type Made, type Making } from './making.ts';
import { resourceTable } from './store.ts';

/** Groups within groups, by vectors or by places. */
export const clusters = async (making: Making): Promise<Made> => {
  if (making.resource.params['enforce_hierarchy'] === false)
    throw new Unmakeable('a group always lies within one of the depth above it: leave enforce_hierarchy out');
  const { rows, values, dims } = await vectorsOf(making, making.upstream('vectors', 'places'));
  if (rows.length === 0) throw new Unmakeable('there are no points');
  const step = Math.max(1, Math.ceil(rows.length / topicSample));
  const sample = new Float32Array(Math.ceil(rows.length / step) * dims);
  for (let at = 0; at * dims < sample.length; at += 1) sample.set(values.subarray(at * step * dims, (at * step + 1) * dims), at * dims);
  const model = await making.computing.run('fitTopics', sample, dims, rows.length);
  const leaves = await making.computing.run('leavesOf', values, model);
  const columns = model.depths.map((_, at) => `depth_${at + 1}`);
  return {
    result: { rows: rows.length, columns, depths: model.depths, clusters: model.depths.map((topics) => new Set(topics).size) },
    write: writing(
      making,
      rows,
      model.depths.map((topics, at) =>
        whole(
          columns[at]!,
          Int32Array.from(leaves, (leaf) => topics[leaf]!),
        ),
      ),
    ),
  };
};

export const densityClusters = async (making: Making): Promise<Made> => {
  const { min_cluster_size: size, min_samples: samples } = making.resource.params as { min_cluster_size: number; min_samples: number };
  const { rows, values, dims } = await vectorsOf(making, making.upstream('places', 'vectors'));
  atMost(5_000, { rows });
  const labels = await making.computing.run('hdbscan', values, dims, size, samples);
  const found = [...new Set(labels)].filter((label) => label >= 0).toSorted((a, b) => a - b);
  const noise = labels.filter((label) => label === -1).length;
  return {
    // Noise is a group of its own to whoever stands on these, under the number of none.
    result: { rows: rows.length, columns: ['depth_1'], depths: [noise > 0 ? [-1, ...found] : found], clusters: [found.length], noise },
    write: writing(making, rows, [whole('depth_1', labels)]),
  };
};

export const duplicates = async (making: Making): Promise<Made> => {
  const { rows, values, dims } = await vectorsOf(making, making.upstream('vectors'));
  atMost(100_000, { rows });
  const { cluster, kind } = await making.computing.run('duplicatesOf', values, dims, making.resource.params['duplicate_cutoff'] as number);
  const counts = Object.fromEntries(duplicateClasses.map((name, at) => [name, kind.filter((each) => each === at).length]));
  return {
    result: { rows: rows.length, counts },
    write: writing(making, rows, [
      text(
        'class',
        Array.from(kind, (each) => duplicateClasses[each]!),
      ),
      whole('cluster', Int32Array.from(cluster)),
    ]),
  };
};

/** Names of the groups of all depths, by the words of a column. */
export const keywords = async (making: Making): Promise<Made> => {
  const { target_field: field, jaccard_similarity_threshold: likeness } = making.resource.params as {
    target_field: string;
    jaccard_similarity_threshold: number;
  };
  if (columnOf(making, field).type !== 'string') throw new Unmakeable(`${JSON.stringify(field)} is not a column of text`);
  const groups = making.upstream('groups');
  const columns = groupColumns(groups);
  const depths = groups.result!['depths'] as number[][];
  const finest = columns.at(-1)!;
  const found = await making.dataset.read((connection) =>
    select<{ topic: number; text: string }>(
      connection,
      `SELECT grouped.${identifier(finest)} AS topic, left(data.${identifier(field)}, 600) AS text FROM ${resourceTable(groups.id)} grouped JOIN data USING ("_row") ORDER BY "_row" LIMIT 50000`,
    ),
  );
  const leafOf = new Map(depths.at(-1)!.map((topic, leaf) => [topic, leaf]));
  const names = await making.computing.run(
    'nameTopics',
    found.map((each) => each.text),
    Uint16Array.from(found, ({ topic }) => leafOf.get(topic)!),
    depths,
    likeness,
  );
  const topics = [];
  for (const [at, name] of columns.entries())
    for (const { topic, points } of await countsOf(making, groups, name)) {
      const named = names.find((each) => each.topic === topic)!;
      topics.push({ topic, depth: at + 1, points, topic_short_description: named.short, topic_description: named.description });
    }
  return { result: { topics } };
};

/** The middle of each topic on a map. */
export const topicPositions = async (making: Making): Promise<Made> => {
  const { topics } = making.upstream('topics').result as { topics: { topic: number; depth: number }[] };
  const [groups, places] = [making.upstream('groups'), making.upstream('places')];
  const columns = groupColumns(groups);
  const positions = [];
  for (const [at, name] of columns.entries()) {
    const found = await making.dataset.read((connection) =>
      select<{ topic: number; x: number; y: number }>(
        connection,
        `SELECT ${identifier(name)} AS topic, median(x) AS x, median(y) AS y FROM ${resourceTable(groups.id)} JOIN ${resourceTable(places.id)} USING ("_row") GROUP BY 1 ORDER BY 1`,
      ),
    );
    positions.push(...found.filter(({ topic }) => topics.some((each) => each.topic === topic && each.depth === at + 1)));
  }
  return { result: { positions } };
};
