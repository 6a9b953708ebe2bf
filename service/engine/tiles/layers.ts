import { identifier } from '../../../text/sql.ts';
import type { DatasetState } from '../datasets/dataset.ts';
import { vectorSource } from '../datasets/indices.ts';
import { duplicateColumns, duplicatesTable, topicColumn, topicsTable } from '../datasets/schema.ts';
import type { IndexRow, StoredColumn } from '../datasets/schema.ts';

/** Columns that stand together in one file beside each tile, and the table of rows (`_row`) that has them. */
export type Layer = { sidecar: string; columns: readonly StoredColumn[]; table: string };

/** What a viewer can write into the name of a file as it is. */
const plainName = /^[A-Za-z0-9][\w-]*$/;

const idSidecar = 'datum_id';

const noLabels = { topic_depths: 0, duplicates: false };

/** Its own name where a file can have it; another column may be named as the sidecar of the ids is. */
const sidecarOf = ({ name }: StoredColumn, at: number): string => (plainName.test(name) && name !== idSidecar ? name : `_column.${at}`);

/**
 * The sidecars of a map: the ids, each column of the dataset or those that its checkpoint chose, the topics of all depths, the duplicates, the vectors. Ids
 * that the service made itself are no column of the dataset's own (`idsAreOwn` false).
 */
export const layersOf = (facts: DatasetState, index: IndexRow, idsAreOwn: boolean): Layer[] => {
  const { columns: chosen } = JSON.parse(index.options) as { columns?: readonly string[] | null };
  const scalars = facts.columns.flatMap((column, at): Layer[] => {
    if (column.type === 'vector') return [];
    if (column.name === facts.idField) return idsAreOwn ? [{ sidecar: idSidecar, columns: [column], table: 'data' }] : [];
    if (chosen && !chosen.includes(column.name)) return [];
    return [{ sidecar: sidecarOf(column, at), columns: [column], table: 'data' }];
  });
  const { topic_depths: depths, duplicates } = facts.labelled.find(({ index_id }) => index_id === index.index_id) ?? noLabels;
  if (depths > 0) {
    const columns = Array.from({ length: depths }, (_, at) => topicColumn(at + 1));
    scalars.push({ sidecar: '_topics', columns, table: topicsTable(index.index_id) });
  }
  if (duplicates) scalars.push({ sidecar: '_duplicates', columns: duplicateColumns, table: duplicatesTable(index.index_id) });
  if (index.dimensions === null) return scalars;
  const { table, column } = vectorSource(index);
  const vectors: StoredColumn = { name: '_embeddings', type: 'vector', dimensions: index.dimensions };
  return [
    ...scalars,
    { sidecar: '_embeddings', columns: [vectors], table: `(SELECT "_row", ${column} AS ${identifier(vectors.name)} FROM ${table})` },
  ];
};
