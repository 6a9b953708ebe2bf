import { Bool } from 'apache-arrow';
import type { DuckDBConnection } from '@duckdb/node-api';
import { numbersIn } from '../../../child/vector-memory.ts';
import { readChunks } from '../datasets/chunks.ts';
import { select } from '../datasets/dataset.ts';
import { positionsTable } from '../datasets/schema.ts';
import type { IndexRow } from '../datasets/schema.ts';
import { fileOf, valuesOf } from './arrow.ts';
import type { PlacedTile } from './tree.ts';

export type TagRow = {
  tag_id: string;
  projection_id: string;
  tag_name: string;
  /** What the client knows its rule by; of a tag by ids alone the id of the tag. */
  definition_id: string;
  dsl_rule: string | null;
  user_id: string | null;
  incomplete: boolean;
};

/** The tags of a map, by name. */
export const tagsOf = (connection: DuckDBConnection, projectionId: string): Promise<TagRow[]> =>
  select<TagRow>(
    connection,
    `SELECT tag_id, projection_id, tag_name, coalesce(definition_id, tag_id) AS definition_id, dsl_rule, user_id, coalesce(incomplete, false) AS incomplete
     FROM tags WHERE projection_id = ? ORDER BY tag_name`,
    [projectionId],
  );

/** What stands before the definition of a tag in the name of its sidecar. */
export const tagSidecar = '_tag.';

/** Which points of a tile have a tag, in their order. */
export const tagFile = async (connection: DuckDBConnection, index: IndexRow, tile: PlacedTile, tagId: string): Promise<Uint8Array> => {
  const has: boolean[] = [];
  const sql = `SELECT (tagged."_row" IS NOT NULL)::UTINYINT FROM ${positionsTable(index.index_id)} position
    LEFT JOIN (SELECT "_row" FROM tagged WHERE tag_id = ?) tagged USING ("_row") WHERE tix = ? ORDER BY rix`;
  for await (const chunk of readChunks(connection, sql, [tagId, tile.tix]))
    for (const each of numbersIn(chunk.getColumnVector(0), Uint8Array)) has.push(each === 1);
  return fileOf([valuesOf('bitmask', new Bool(), has)]);
};
