import type { DuckDBConnection } from '@duckdb/node-api';
import { select } from '../datasets/dataset.ts';
import { positionsTable } from '../datasets/schema.ts';
import type { IndexRow } from '../datasets/schema.ts';
import { extentOf, tileOf, tixOf, type Tile } from '../projection/quadtree.ts';

/** A tile that has points: the number of the first of them among those of the whole map, tile by tile from the root. */
export type PlacedTile = Tile & { tix: number; points: number; first: number };

export const keyOf = ({ z, x, y }: Tile): string => `${z}/${x}/${y}`;

/** The square of a tile as viewers read it. */
export const extentText = (tile: Tile): string => JSON.stringify(extentOf(tile));

/** Tiles of the maps that were read last, as long as a map has not changed: a viewer asks for one tile after the other. */
const known = new Map<string, readonly PlacedTile[]>();
const mostKnown = 32;

/** The tiles of a map, breadth-first from the root. One that has points has a parent that is full, or has lost points since. */
export const tilesOf = async (connection: DuckDBConnection, index: IndexRow): Promise<readonly PlacedTile[]> => {
  const version = JSON.stringify([index.index_id, index.ended_at, index.rows, index.next_row]);
  const found = known.get(version) ?? (await read(connection, index));
  known.delete(version);
  known.set(version, found);
  for (const oldest of known.keys()) {
    if (known.size <= mostKnown) break;
    known.delete(oldest);
  }
  return found;
};

const read = async (connection: DuckDBConnection, { index_id }: IndexRow): Promise<PlacedTile[]> => {
  const counts = await select<{ tix: number; points: number }>(
    connection,
    `SELECT tix, count(*) AS points FROM ${positionsTable(index_id)} GROUP BY tix ORDER BY tix`,
  );
  let first = 0;
  return counts.map(({ tix, points }) => {
    const tile = { ...tileOf(tix), tix, points, first };
    first += points;
    return tile;
  });
};

/** The tiles of the four quarters of a tile that have points. */
export const childrenOf = ({ z, x, y }: Tile, tiles: readonly PlacedTile[]): PlacedTile[] => {
  const quarters = new Set([0, 1].flatMap((right) => [0, 1].map((upper) => tixOf({ z: z + 1, x: 2 * x + right, y: 2 * y + upper }))));
  return tiles.filter(({ tix }) => quarters.has(tix));
};
