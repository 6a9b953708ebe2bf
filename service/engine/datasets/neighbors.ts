import { identifier } from '../../../text/sql.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { cosine, vectorLiteral } from './cosine.ts';
import { select } from './dataset.ts';
import { vectorsByRow } from './indices.ts';
import { positionsTable } from './schema.ts';
import type { IndexRow } from './schema.ts';

/** Distance by the space of an index, as hyperparameters of nearest-neighbour indices name it. */
const distances = {
  l2: (a: string, b: string) => `array_distance(${a}, ${b})`,
  cosine: (a: string, b: string, dimensions: number) => `1 - ${cosine(a, b, dimensions)}`,
  ip: (a: string, b: string) => `array_negative_inner_product(${a}, ${b})`,
} as const;

const spaceOf = ({ options }: IndexRow): keyof typeof distances => {
  const asked = (JSON.parse(options) as { nearest_neighbor_index_hyperparameters?: string | null }).nearest_neighbor_index_hyperparameters;
  const space = asked ? (JSON.parse(asked) as { space?: unknown }).space : undefined;
  return typeof space === 'string' && Object.hasOwn(distances, space) ? (space as keyof typeof distances) : 'l2';
};

export type Neighbors = { ids: string[]; distances: number[] };

/**
 * The `k` points of an index nearest to a vector, nearest first, equally near ones in the order of their rows. Exact. The
 * distance is Euclidean unless the index was ordered with another space (assumption). A vector of length 0 has no angle to
 * any other: its cosine distance counts as 1.
 */
export const nearestRows = async (
  connection: DuckDBConnection,
  index: IndexRow,
  idField: string,
  vector: readonly number[],
  k: number,
): Promise<Neighbors> => {
  const distance = `(${distances[spaceOf(index)]('vector', vectorLiteral(vector), index.dimensions!)})::DOUBLE`;
  const rows = await select<{ id: string; distance: number }>(
    connection,
    `WITH best AS (SELECT "_row", ${distance} AS distance FROM ${vectorsByRow(index)} WHERE "_row" < ? ORDER BY distance, "_row" LIMIT ?)
     SELECT data.${identifier(idField)} AS id, best.distance FROM best JOIN data USING ("_row") ORDER BY best.distance, "_row"`,
    [index.next_row, k],
  );
  return { ids: rows.map(({ id }) => id), distances: rows.map((row) => row.distance) };
};

/** Vectors of rows, in the order of `rows`. */
export const vectorsOfRows = async (connection: DuckDBConnection, index: IndexRow, rows: readonly number[]): Promise<number[][]> => {
  const found = await select<{ row: number; vector: number[] }>(
    connection,
    `SELECT "_row" AS "row", vector FROM ${vectorsByRow(index)} WHERE "_row" IN (SELECT unnest(from_json(CAST(? AS VARCHAR), '["BIGINT"]')))`,
    [JSON.stringify(rows)],
  );
  const byRow = new Map(found.map(({ row, vector }) => [row, vector]));
  return rows.map((row) => byRow.get(row)!);
};

/** The row that stands at a place of a tile. */
export const placedRow = async (
  connection: DuckDBConnection,
  { index_id }: IndexRow,
  tix: number,
  rix: number,
): Promise<number | undefined> => {
  const [found] = await select<{ row: number }>(
    connection,
    `SELECT "_row" AS "row" FROM ${positionsTable(index_id)} WHERE tix = ? AND rix = ?`,
    [tix, rix],
  );
  return found?.row;
};

/** The cosine between a vector and that of each point of a tile, in the order of the tile. */
export const similaritiesIn = async (
  connection: DuckDBConnection,
  index: IndexRow,
  tix: number,
  vector: readonly number[],
): Promise<number[]> => {
  const rows = await select<{ similarity: number }>(
    connection,
    `SELECT (${cosine('vector', vectorLiteral(vector), index.dimensions!)})::DOUBLE AS similarity
     FROM ${positionsTable(index.index_id)} position JOIN ${vectorsByRow(index)} USING ("_row")
     WHERE tix = ? ORDER BY rix`,
    [tix],
  );
  return rows.map(({ similarity }) => similarity);
};
