import { Field, Float32, Schema, Uint64 } from 'apache-arrow';
import type { DuckDBConnection } from '@duckdb/node-api';
import { arrowType, schemaMessage } from '../datasets/arrow-output.ts';
import { numbersIn } from '../../../child/vector-memory.ts';
import { identifier } from '../../../text/sql.ts';
import { readChunks, readVectors } from '../datasets/chunks.ts';
import { select } from '../datasets/dataset.ts';
import { columnList } from '../datasets/rows.ts';
import type { Row } from '../datasets/rows.ts';
import { positionsTable } from '../datasets/schema.ts';
import type { IndexRow, StoredColumn } from '../datasets/schema.ts';
import { counts, fileOf, floats, texts, valuesOf, vectors, whole } from './arrow.ts';
import type { Layer, tileColumns } from './layers.ts';
import { childrenOf, extentText, keyOf } from './tree.ts';
import type { PlacedTile } from './tree.ts';

/** Columns of the tile itself: `ix` numbers the points of the map tile by tile from the root, so that the first ones are a fair picture of all. */
const base = { x: new Float32(), y: new Float32(), ix: new Uint64() } satisfies Record<(typeof tileColumns)[number], Field['type']>;

/** The columns beside the tiles, each with its sidecar. */
const listed = (layers: readonly Layer[]): { column: StoredColumn; sidecar: string }[] =>
  layers.filter(({ unlisted }) => !unlisted).flatMap(({ sidecar, columns }) => columns.map((column) => ({ column, sidecar })));

/** The sidecar of each column that has one, as viewers read it. */
const sidecarsText = (layers: readonly Layer[]): string =>
  JSON.stringify(Object.fromEntries(listed(layers).map(({ column, sidecar }) => [column.name, sidecar])));

/** Every column with the name of its sidecar as JSON text in its metadata; a public client fails on one without. */
const schemaOf = (layers: readonly Layer[]): Schema => {
  const named = (name: string, type: Field['type'], sidecar: string): Field =>
    new Field(name, type, true, new Map([['sidecar_name', JSON.stringify(sidecar)]]));
  return new Schema([
    ...Object.entries(base).map(([name, type]) => named(name, type, '')),
    ...listed(layers).map(({ column, sidecar }) => named(column.name, arrowType(column), sidecar)),
  ]);
};

/** The columns of a map's tiles, as one encapsulated Arrow schema message. */
export const schemaFile = (layers: readonly Layer[]): Uint8Array => schemaMessage(schemaOf(layers));

/** A row for each tile of a map. */
export const manifestFile = (tiles: readonly PlacedTile[], layers: readonly Layer[]): Uint8Array =>
  fileOf(
    [
      texts('key', tiles.map(keyOf)),
      counts(
        'nPoints',
        tiles.map(({ points }) => points),
      ),
      whole(
        'min_ix',
        BigUint64Array.from(tiles, ({ first }) => BigInt(first)),
      ),
      whole(
        'max_ix',
        BigUint64Array.from(tiles, ({ first, points }) => BigInt(first + points - 1)),
      ),
      texts('extent', tiles.map(extentText)),
    ],
    { sidecars: sidecarsText(layers), schema: Buffer.from(schemaFile(layers)).toString('base64') },
  );

/** The places of a tile's points. */
export const tileFile = async (
  connection: DuckDBConnection,
  index: IndexRow,
  tile: PlacedTile,
  tiles: readonly PlacedTile[],
  layers: readonly Layer[],
): Promise<Uint8Array> => {
  const [x, y] = [new Float32Array(tile.points), new Float32Array(tile.points)];
  let at = 0;
  for await (const chunk of readChunks(connection, `SELECT x, y FROM ${positionsTable(index.index_id)} WHERE tix = ? ORDER BY rix`, [
    tile.tix,
  ])) {
    x.set(numbersIn(chunk.getColumnVector(0), Float32Array), at);
    y.set(numbersIn(chunk.getColumnVector(1), Float32Array), at);
    at += chunk.rowCount;
  }
  const ix = BigUint64Array.from({ length: tile.points }, (_, row) => BigInt(tile.first + row));
  return fileOf([floats('x', x), floats('y', y), whole('ix', ix)], {
    extent: extentText(tile),
    children: JSON.stringify(childrenOf(tile, tiles).map(keyOf)),
    sidecars: sidecarsText(layers),
  });
};

/** The columns of a sidecar for the points of a tile, in their order. */
export const sidecarFile = async (
  connection: DuckDBConnection,
  index: IndexRow,
  { tix }: PlacedTile,
  { columns, table }: Layer,
): Promise<Uint8Array> => {
  const from = `FROM ${positionsTable(index.index_id)} position JOIN ${table} layer USING ("_row") WHERE position.tix = ? ORDER BY position.rix`;
  const [first] = columns;
  if (first?.type === 'vector') {
    const values = await readVectors(connection, `SELECT layer.${identifier(first.name)} ${from}`, [tix]);
    return fileOf([vectors(first.name, values, first.dimensions!)]);
  }
  const rows = await select<Row>(connection, `SELECT ${columnList(columns, 'layer.')} ${from}`, [tix]);
  return fileOf(
    columns.map((column) =>
      valuesOf(
        column.name,
        arrowType(column),
        rows.map((row) => row[column.name] ?? null),
      ),
    ),
  );
};
