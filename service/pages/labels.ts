import type { DuckDBConnection } from '@duckdb/node-api';
import { select } from '../engine/datasets/dataset.ts';
import type { DatasetState } from '../engine/datasets/dataset.ts';
import type { Row } from '../engine/datasets/rows.ts';
import type { IndexRow } from '../engine/datasets/schema.ts';
import { blobColumn } from './images.ts';

/** Columns that say what a row is, where what was embedded says nothing to a reader: the first that is there. */
const naming = ['name', 'title', 'file', 'caption', 'text'] as const;
/** Columns that say which document a row is a part of. */
const documents = ['file', 'document', 'path', 'name'] as const;
const pages = ['page', 'pages'] as const;

const firstOf = (facts: DatasetState, names: readonly string[]): string | undefined =>
  names.map((wanted) => facts.columns.find(({ name }) => name.toLowerCase() === wanted)?.name).find((name) => name !== undefined);

/** The column that a row is called by: what was embedded, or of images and vectors what names them. */
export const labelColumn = (facts: DatasetState, { indexed_field }: IndexRow): string =>
  indexed_field !== null && !indexed_field.startsWith('_') ? indexed_field : (firstOf(facts, naming) ?? facts.idField!);

/** What a hit is shown with beside its label: its image, and its document and page where it is a part of one. */
export const hitColumns = (facts: DatasetState): { blob?: string; document?: string; page?: string } => {
  const page = firstOf(facts, pages);
  const document = page && firstOf(facts, documents);
  return {
    ...(facts.columns.some(({ name }) => name === blobColumn) ? { blob: blobColumn } : {}),
    ...(page && document ? { document, page } : {}),
  };
};

/** `report.pdf, page 3`; undefined where the row is part of no document. */
export const placeOf = (row: Row, { document, page }: ReturnType<typeof hitColumns>): string | undefined =>
  document && page && row[page] !== null && row[page] !== undefined ? `${String(row[document])}, page ${String(row[page])}` : undefined;

/** The topics of a map as labels: where each stands, and how many points it has. */
export const topicLabels = (
  connection: DuckDBConnection,
  { index_id }: IndexRow,
): Promise<{ label: string; depth: number; points: number; x: number; y: number }[]> =>
  select(connection, 'SELECT short AS label, depth, points, x, y FROM topics WHERE index_id = ? ORDER BY depth, topic', [index_id]);
