import type { DuckDBConnection } from '@duckdb/node-api';
import { numbersIn } from '../../../child/vector-memory.ts';
import { identifier } from '../../../text/sql.ts';
import { readChunks } from '../datasets/chunks.ts';
import { positionsTable, type StoredColumn } from '../datasets/schema.ts';
import { Unmakeable, type Made, type Making } from './making.ts';
import { pictureColors, pictureSize } from './picture.ts';

/** Points of a map by the value of a column: the most frequent ones have a group each, the others share the last; numbers and times by their order. */
const groupsOf = (column: StoredColumn | undefined, positions: string): string => {
  if (column === undefined) return `SELECT "_row", 0 AS value FROM ${positions}`;
  if (column.type === 'vector') throw new Unmakeable(`${JSON.stringify(column.name)} holds vectors, which have no colours`);
  const [name, last] = [identifier(column.name), pictureColors.length - 1];
  const values = `SELECT "_row", data.${name} AS value FROM ${positions} JOIN data USING ("_row")`;
  return column.type === 'string'
    ? `WITH colored AS (${values}), ranked AS (SELECT value, least(row_number() OVER (ORDER BY count(*) DESC, value NULLS LAST) - 1, ${last}) AS rank FROM colored GROUP BY value)
       SELECT "_row", rank AS value FROM colored JOIN ranked ON colored.value IS NOT DISTINCT FROM ranked.value`
    : `SELECT "_row", ntile(${last + 1}) OVER (ORDER BY value NULLS LAST) - 1 AS value FROM (${values})`;
};

const readPoints = async (connection: DuckDBConnection, positions: string, groups: string, count: number) => {
  const [xy, colors] = [new Float32Array(count * 2), new Uint8Array(count)];
  let at = 0;
  const query = `SELECT x, y, value::UTINYINT FROM ${positions} JOIN (${groups}) colored USING ("_row") ORDER BY "_row"`;
  for await (const part of readChunks(connection, query)) {
    const [x, y] = [numbersIn(part.getColumnVector(0), Float32Array), numbersIn(part.getColumnVector(1), Float32Array)];
    colors.set(part.getColumnValues(2) as number[], at);
    for (let row = 0; row < part.rowCount; row += 1) xy.set([x[row]!, y[row]!], (at + row) * 2);
    at += part.rowCount;
  }
  return { xy, colors };
};

/** A picture of a map of this dataset, kept as a blob of it. */
export const openGraphImage = async ({ resource, dataset, computing, keep }: Making): Promise<Made> => {
  const { map_id, color_column } = resource.params as { map_id: string; color_column: string | null };
  const { xy, colors, points } = await dataset.read(async (connection, factsHere) => {
    const facts = await factsHere();
    const index = facts.indices.find(({ projection_id }) => projection_id === map_id);
    if (!index) throw new Unmakeable(`${map_id} is no map of this dataset`);
    if (index.stage !== 'Completed') throw new Unmakeable(`the map ${map_id} is not built to its end: ask again when it is`);
    const column = facts.columns.find(({ name }) => name === color_column);
    if (color_column !== null && !column) throw new Unmakeable(`${JSON.stringify(color_column)} is not a column of this dataset`);
    const positions = positionsTable(index.index_id);
    const groups = groupsOf(column, positions);
    return { ...(await readPoints(connection, positions, groups, index.rows)), points: index.rows };
  });
  const { png } = await computing.run('mapPicture', xy, colors);
  return { result: { map_id, blob_hash: await keep(png), ...pictureSize, points, bytes: png.byteLength } };
};
