import { DataType } from 'apache-arrow';
import type { Vector } from 'apache-arrow';
import type { DuckDBConnection } from '@duckdb/node-api';
import { invalid } from '../../core/errors.ts';
import { keyOf, tilesOf } from '../tiles/tree.ts';
import type { PlacedTile } from '../tiles/tree.ts';
import type { SentColumn, Shard } from './arrow-input.ts';
import { appendColumns, readNumbers } from './chunks.ts';
import { select } from './dataset.ts';
import { positionsTable } from './schema.ts';
import type { IndexRow } from './schema.ts';
import type { Where } from './selection.ts';
import { run } from './statements.ts';

/** What a mask says: the points that it is about, by their number among all of the map, and which of them have the tag. */
export type Mask = { points: Uint32Array; has: Uint8Array };

const columnOf = (columns: readonly SentColumn[], name: string): Vector | undefined =>
  columns.find((column) => column.name === name)?.vector;

/** The booleans of one list; 422 for another column. */
const listsOf = (columns: readonly SentColumn[]): (readonly boolean[])[] => {
  const bitmask = columnOf(columns, 'bitmask');
  if (!bitmask) throw invalid('bitmask', 'missing: a column of that name holds a list of booleans for each tile');
  if (!DataType.isList(bitmask.type) || !DataType.isBool(bitmask.type.children[0]!.type))
    throw invalid('bitmask', `must be a list of booleans, not ${String(bitmask.type)}`);
  return Array.from(bitmask as Iterable<Iterable<boolean | null> | null>, (list) => Array.from(list ?? [], (value) => value === true));
};

/** The tiles that rows of a mask are of: those that its column `key` names, or all of them. */
const tilesOfMask = (columns: readonly SentColumn[], lists: readonly (readonly boolean[])[], tiles: readonly PlacedTile[]) => {
  const keys = columnOf(columns, 'key');
  const all = tiles.reduce((sum, { points }) => sum + points, 0);
  if (!keys) return [{ list: lists.flat(), what: 'the map', first: 0, points: all }];
  const byKey = new Map(tiles.map((tile) => [keyOf(tile), tile]));
  return lists.map((list, at) => {
    const key = String(keys.get(at));
    const tile = byKey.get(key);
    if (!tile) throw invalid('key', `${JSON.stringify(key)} is no tile of this map, or stands in the mask twice`);
    byKey.delete(key);
    return { list, what: `tile ${key}`, first: tile.first, points: tile.points };
  });
};

/** Reads a mask against the tiles of its map; 422 where one does not fit the other. */
export const readMask = async (connection: DuckDBConnection, index: IndexRow, { columns }: Pick<Shard, 'columns'>): Promise<Mask> => {
  const lists = listsOf(columns);
  const parts = tilesOfMask(columns, lists, await tilesOf(connection, index));
  for (const { list, what, points } of parts)
    if (list.length !== points) throw invalid('bitmask', `${list.length} booleans for the ${points} points of ${what}`);
  return {
    points: Uint32Array.from(parts.flatMap(({ first, list }) => list.map((_, at) => first + at))),
    has: Uint8Array.from(
      parts.flatMap(({ list }) => list),
      (value) => Number(value),
    ),
  };
};

/** Rows of the map and whether each is to have the tag, as long as a change of it is under way. */
const wanted = '"_row" BIGINT NOT NULL, has INTEGER NOT NULL';

/** Puts a tag on the rows that are to have it and takes it from the others, in the open transaction; how many changed. */
const settle = async (connection: DuckDBConnection, tagId: string): Promise<number> => {
  const [found] = await select<{ changed: number }>(
    connection,
    'SELECT count(*) AS changed FROM wanted WHERE (has = 1) <> ("_row" IN (SELECT "_row" FROM tagged WHERE tag_id = ?))',
    [tagId],
  );
  await run(connection, 'DELETE FROM tagged WHERE tag_id = ? AND "_row" IN (SELECT "_row" FROM wanted)', [tagId]);
  await run(connection, 'INSERT INTO tagged SELECT ?, "_row" FROM wanted WHERE has = 1', [tagId]);
  await connection.run('DROP TABLE wanted');
  return found!.changed;
};

/** Puts a tag on the points that a mask names, and takes it from the others that it is about. */
export const applyMask = async (connection: DuckDBConnection, index: IndexRow, tagId: string, { points, has }: Mask): Promise<number> => {
  const rows = await readNumbers(connection, `SELECT "_row"::UINTEGER FROM ${positionsTable(index.index_id)} ORDER BY tix, rix`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE wanted (${wanted})`);
  await appendColumns(
    connection,
    'wanted',
    [
      { kind: 'bigint', values: points.map((point) => rows[point]!) },
      { kind: 'integer', values: Int32Array.from(has) },
    ],
    points.length,
  );
  return settle(connection, tagId);
};

/** Puts a tag on the points of a map that a selection matches, and takes it from the others. */
export const applyWhere = async (connection: DuckDBConnection, { next_row }: IndexRow, tagId: string, where: Where): Promise<number> => {
  await connection.run(`CREATE OR REPLACE TEMP TABLE wanted (${wanted})`);
  await run(
    connection,
    `INSERT INTO wanted WITH ${where.tables.sql}matched AS (SELECT "_row", coalesce((${where.sql}), false)::INTEGER AS has FROM data WHERE "_row" < ?) FROM matched`,
    [...where.tables.params, ...where.params, next_row],
  );
  return settle(connection, tagId);
};
