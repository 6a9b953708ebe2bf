import { identifier } from '../../../text/sql.ts';
import type { DatasetState } from '../datasets/dataset.ts';
import { vectorSource } from '../datasets/indices.ts';
import { duplicateColumns, duplicatesTable, topicColumn, topicsTable } from '../datasets/schema.ts';
import type { IndexRow, StoredColumn } from '../datasets/schema.ts';

/** Columns that stand together in one file beside each tile, and the table of rows (`_row`) that has them. `unlisted`: known by its name alone. */
export type Layer = { sidecar: string; columns: readonly StoredColumn[]; table: string; unlisted?: true };

/** Columns of the tile itself. */
export const tileColumns = ['x', 'y', 'ix'] as const;
const inTile: ReadonlySet<string> = new Set(tileColumns);

/** What a viewer can write into the name of a file as it is. */
const plainName = /^[A-Za-z0-9][\w-]*$/;

const idSidecar = 'datum_id';

/**
 * A column of the dataset as viewers see it: they find columns by name, so that one named as a column of the tile would hide the place of the
 * points; it has underscores behind its name, as many as leave it to no other column.
 */
const shown = (column: StoredColumn, { columns }: DatasetState): StoredColumn => {
  let { name } = column;
  const isTaken = (): boolean => inTile.has(name) || (name !== column.name && columns.some((other) => other.name === name));
  while (isTaken()) name += '_';
  return { ...column, name };
};

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
    const isId = column.name === facts.idField;
    if (isId ? !idsAreOwn : chosen && !chosen.includes(column.name)) return [];
    if (!inTile.has(column.name)) return [{ sidecar: isId ? idSidecar : sidecarOf(column, at), columns: [column], table: 'data' }];
    const other = shown(column, facts);
    const renamed = `(SELECT "_row", ${identifier(column.name)} AS ${identifier(other.name)} FROM data)`;
    return [
      // The file of the ids is asked for by its name, and the ids in it by that of their field.
      ...(isId ? [{ sidecar: idSidecar, columns: [column], table: 'data', unlisted: true } as const] : []),
      { sidecar: sidecarOf(other, at), columns: [other], table: renamed },
    ];
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
