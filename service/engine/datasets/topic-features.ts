import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from '../../../text/sql.ts';
import { select } from './dataset.ts';
import { boundIds, listOfIds } from './ids.ts';
import { topicColumn, topicsTable } from './schema.ts';
import type { IndexRow } from './schema.ts';

type TopicRow = {
  topic: number;
  depth: number;
  parent: number | null;
  short: string;
  description: string;
  points: number;
  x: number;
  y: number;
};

/** A topic as public viewers read it: its label stands at a place of the map. */
export type TopicFeature = {
  type: 'Feature';
  geometry: { type: 'Point'; coordinates: [number, number] };
  properties: {
    topic: number;
    depth: number;
    topic_short_description: string;
    topic_description: string;
    points: number;
    [above: `_topic_depth_${number}`]: string | null;
  };
};

/** The topics of a map as GeoJSON; none where it has no topics. `_topic_depth_1` and so on are the names of the topics above it, its own and null below. */
export const topicModelsOf = async (
  connection: DuckDBConnection,
  { index_id }: IndexRow,
): Promise<{ type: 'FeatureCollection'; features: TopicFeature[] }[]> => {
  const rows = await select<TopicRow>(connection, 'SELECT * EXCLUDE index_id FROM topics WHERE index_id = ? ORDER BY depth, topic', [
    index_id,
  ]);
  if (rows.length === 0) return [];
  const byId = new Map(rows.map((row) => [row.topic, row]));
  const deepest = Math.max(...rows.map(({ depth }) => depth));
  const above = (row: TopicRow | undefined): TopicRow[] =>
    row === undefined ? [] : [...above(row.parent === null ? undefined : byId.get(row.parent)), row];
  const features = rows.map((row): TopicFeature => {
    const line = above(row);
    const names = Array.from({ length: deepest }, (_, at) => [`_topic_depth_${at + 1}`, line[at]?.short ?? null] as const);
    return {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [row.x, row.y] },
      properties: {
        topic: row.topic,
        depth: row.depth,
        topic_short_description: row.short,
        topic_description: row.description,
        points: row.points,
        ...Object.fromEntries(names),
      },
    };
  });
  return [{ type: 'FeatureCollection', features }];
};

/** The topics of a depth that points have, by name, the most frequent first, with how many of them have each. */
export const topicsOfPoints = (
  connection: DuckDBConnection,
  { index_id }: IndexRow,
  idField: string,
  ids: readonly string[],
  depth: number,
): Promise<{ topic: string; points: number }[]> =>
  select(
    connection,
    `SELECT topics.short AS topic, count(*) AS points FROM data JOIN ${topicsTable(index_id)} placed USING ("_row") JOIN topics ON topics.index_id = ? AND topics.topic = placed.${identifier(topicColumn(depth).name)}
     WHERE data.${identifier(idField)} IN ${listOfIds} GROUP BY topics.short ORDER BY points DESC, topics.short`,
    [index_id, boundIds(ids)],
  );
