import { isoTime } from '../../core/clock.ts';
import { select } from '../datasets/dataset.ts';
import { newIndexIds } from '../datasets/indices.ts';
import { positionsTable, vectorsTable } from '../datasets/schema.ts';
import { run } from '../datasets/statements.ts';
import { sampleRows } from '../projection/project.ts';
import { rowsWent, Unmakeable, vectorsOf, type Made, type Making } from './making.ts';
import { mapLabels } from './map-labels.ts';
import { mapParts } from './map-parts.ts';
import { resourceTable, type Resource } from './store.ts';

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

/**
 * A map of the points of a tree, as if it had been built as an index: it is searched, selected, tagged and updated like any other,
 * and has what it stands on beside its places: topics, duplicates, vectors, columns.
 */
export const mapCheckpoint = async (making: Making): Promise<Made> => {
  const { resource, nearestOf, claim } = making;
  if (resource.params['map_id'] !== null) throw new Unmakeable('the local service makes a new map of a tree: leave map_id out');
  const parts = await mapParts(making);
  const { tree, places, vectors } = parts;
  if ((nearestOf(tree, 'rows')!.params['composite_filter'] ?? null) !== null)
    throw new Unmakeable('a map has all rows of its dataset, and takes later ones in: ask for a checkpoint of them without a filter');
  const labels = await mapLabels(making, parts);
  const { model, field, dims } = sourceOf(vectors, making);
  const [ids, count, now] = [newIndexIds(), tree.result!['rows'] as number, isoTime()];
  const axes = vectors === undefined ? undefined : await modelOf(making, vectors, tree);
  claim(ids);
  const options = {
    colorable_fields: tree.params['colorable_fields'],
    algorithm: algorithms[places.kind],
    columns: parts.columns,
    ...labels.options,
  };
  return {
    result: { map_id: ids.projection_id, index_id: ids.index_id, points: count },
    async write(connection) {
      const [end] = await select<{ next: number; held: number }>(
        connection,
        `SELECT max("_row") + 1 AS next, (SELECT count(*) FROM data WHERE "_row" <= (SELECT max("_row") FROM ${resourceTable(tree.id)})) AS held FROM ${resourceTable(tree.id)}`,
      );
      if (end!.held !== count) throw rowsWent(end!.held, 'tree', count);
      await connection.run(
        `CREATE TABLE ${positionsTable(ids.index_id)} AS SELECT "_row", x, y, tix::UINTEGER AS tix, rix::UINTEGER AS rix FROM ${resourceTable(tree.id)} ORDER BY "_row"`,
      );
      if (model !== null)
        await connection.run(
          `CREATE TABLE ${vectorsTable(ids.index_id)} AS SELECT "_row", vector FROM ${resourceTable(vectors!.id)} ORDER BY "_row"`,
        );
      await labels.write(connection, ids.index_id);
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
