import type { DuckDBConnection } from '@duckdb/node-api';
import { numbersIn } from '../../../child/vector-memory.ts';
import { identifier } from '../../../text/sql.ts';
import { isoTime } from '../../core/clock.ts';
import { readChunks } from '../datasets/chunks.ts';
import { select } from '../datasets/dataset.ts';
import { newIndexIds } from '../datasets/indices.ts';
import { positionsTable, vectorsTable, type StoredColumn } from '../datasets/schema.ts';
import { run } from '../datasets/statements.ts';
import { sampleRows } from '../projection/project.ts';
import { Unmakeable, vectorsOf, type Made, type Making } from './making.ts';
import { pictureColors, pictureSize } from './picture.ts';
import { resourceTable, type Resource } from './store.ts';

/** Points of a map by the value of a column: the most frequent ones have a group each, the others share the last; numbers and times by their order. */
const groupsOf = (column: StoredColumn | undefined, positions: string): string => {
  if (column === undefined) return `SELECT "_row", 0 AS value FROM ${positions}`;
  if (column.type === 'vector') throw new Unmakeable(`${JSON.stringify(column.name)} holds vectors, which have no colours`);
  const [name, last] = [identifier(column.name), pictureColors.length - 1];
  const values = `SELECT "_row", ${name} AS value FROM ${positions} JOIN data USING ("_row")`;
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
export const openGraphImage = async ({ resource, facts, dataset, computing, keep }: Making): Promise<Made> => {
  const { map_id, color_column } = resource.params as { map_id: string; color_column: string | null };
  const index = facts.indices.find(({ projection_id }) => projection_id === map_id);
  if (!index) throw new Unmakeable(`${map_id} is no map of this dataset`);
  if (index.stage !== 'Completed') throw new Unmakeable(`the map ${map_id} is not built to its end: ask again when it is`);
  const column = facts.columns.find(({ name }) => name === color_column);
  if (color_column !== null && !column) throw new Unmakeable(`${JSON.stringify(color_column)} is not a column of this dataset`);
  const positions = positionsTable(index.index_id);
  const groups = groupsOf(column, positions);
  const { xy, colors } = await dataset.read((connection) => readPoints(connection, positions, groups, index.rows));
  const { png } = await computing.run('mapPicture', xy, colors);
  return { result: { map_id, blob_hash: await keep(png), ...pictureSize, points: index.rows, bytes: png.byteLength } };
};

/** What the vectors of an index of these places are: those of a model, the dataset's own, or none. */
const sourceOf = (vectors: Resource | undefined, { facts }: Making) => {
  if (!vectors) return { model: null, field: null, dims: null };
  if (vectors.kind === 'EMBEDDING_SET')
    return { model: null, field: null, dims: facts.columns.find(({ type }) => type === 'vector')!.dimensions! };
  const { source_column, embedding_model } = vectors.params as { source_column: string; embedding_model: string };
  return { model: embedding_model, field: source_column, dims: vectors.result!['dimensions'] as number };
};

/** By what later points find their place among those of the tree. */
const modelOf = async (making: Making, vectors: Resource, tree: Resource): Promise<string> => {
  const { values, dims, rows } = await vectorsOf(making, vectors);
  const { values: xy } = await vectorsOf(making, tree);
  const picked = sampleRows(rows.length);
  const [sample, places] = [new Float32Array(picked.length * dims), new Float32Array(picked.length * 2)];
  for (const [at, row] of picked.entries()) {
    sample.set(values.subarray(row * dims, (row + 1) * dims), at * dims);
    places.set(xy.subarray(row * 2, row * 2 + 2), at * 2);
  }
  return JSON.stringify(await making.computing.run('modelOfPlaces', sample, places, dims));
};

const algorithms: Readonly<Record<string, string>> = {
  UMAP_COORDINATE_SET: 'umap',
  TSNE_COORDINATE_SET: 'tsne',
  SVD_COORDINATE_SET: 'svd',
  PCA_COORDINATE_SET: 'pca',
  RANDOM_COORDINATE_SET: 'random',
  EMBEDDING_DERIVED_2D_COORDINATE_SET: 'derived',
};

/** A map of the points of a tree, as if it had been built as an index: it is searched, selected, tagged and updated like any other. */
export const mapCheckpoint = async (making: Making): Promise<Made> => {
  const { resource, upstream, nearest, claim } = making;
  if (resource.params['map_id'] !== null) throw new Unmakeable('the local service makes a new map of a tree: leave map_id out');
  if ((upstream('rows').params['composite_filter'] ?? null) !== null)
    throw new Unmakeable('a map has all rows of its dataset: ask for a checkpoint of them without a filter');
  const [tree, places, vectors] = [upstream('tree'), upstream('places'), nearest('vectors')];
  const { model, field, dims } = sourceOf(vectors, making);
  const [ids, count, now] = [newIndexIds(), tree.result!['rows'] as number, isoTime()];
  const axes = vectors === undefined ? undefined : await modelOf(making, vectors, tree);
  claim(ids);
  const options = { colorable_fields: tree.params['colorable_fields'], algorithm: algorithms[places.kind] };
  return {
    result: { map_id: ids.projection_id, index_id: ids.index_id, points: count },
    async write(connection) {
      const [end] = await select<{ next: number; held: number }>(
        connection,
        `SELECT max("_row") + 1 AS next, (SELECT count(*) FROM data WHERE "_row" <= (SELECT max("_row") FROM ${resourceTable(tree.id)})) AS held FROM ${resourceTable(tree.id)}`,
      );
      if (end!.held !== count)
        throw new Unmakeable(`${end!.held} rows are there, and the tree has ${count}: rows went since; ask for its checkpoint anew`);
      await connection.run(
        `CREATE TABLE ${positionsTable(ids.index_id)} AS SELECT "_row", x, y, tix::UINTEGER AS tix, rix::UINTEGER AS rix FROM ${resourceTable(tree.id)} ORDER BY "_row"`,
      );
      if (model !== null)
        await connection.run(
          `CREATE TABLE ${vectorsTable(ids.index_id)} AS SELECT "_row", vector FROM ${resourceTable(vectors!.id)} ORDER BY "_row"`,
        );
      if (axes !== undefined) await run(connection, 'INSERT INTO axes VALUES (?, ?)', [ids.index_id, axes]);
      await run(
        connection,
        `INSERT INTO indices (index_id, job_id, projection_id, indexed_field, model, options, dimensions, stage, rows, next_row, embedded, kept, created_at, started_at, ended_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'Completed', ?, ?, ?, 0, ?, ?, ?)`,
        [
          ids.index_id,
          ids.job_id,
          ids.projection_id,
          field,
          model,
          JSON.stringify(options),
          dims,
          count,
          end!.next,
          model === null ? 0 : count,
          now,
          now,
          now,
        ],
      );
    },
  };
};
