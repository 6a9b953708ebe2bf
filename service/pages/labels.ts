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
/** Columns that say where in a document without pages a part of it stands. */
const places = ['place', 'lines'] as const;

const firstOf = (facts: DatasetState, names: readonly string[]): string | undefined =>
  names.map((wanted) => facts.columns.find(({ name }) => name.toLowerCase() === wanted)?.name).find((name) => name !== undefined);

/** The column that a row is called by: what was embedded, or of images and vectors what names them. */
export const labelColumn = (facts: DatasetState, { indexed_field }: IndexRow): string =>
  indexed_field !== null && !indexed_field.startsWith('_') ? indexed_field : (firstOf(facts, naming) ?? facts.idField!);

/** What a hit is shown with beside its label: its image, and its document and page where it is a part of one. */
export const hitColumns = (facts: DatasetState): { blob?: string; document?: string; page?: string; place?: string } => {
  const page = firstOf(facts, pages);
  const document = page && firstOf(facts, documents);
  const place = document && firstOf(facts, places);
  return {
    ...(facts.columns.some(({ name }) => name === blobColumn) ? { blob: blobColumn } : {}),
    ...(page && document ? { document, page, ...(place ? { place } : {}) } : {}),
  };
};

/** What a column holds, without what stands for nothing. */
const held = (row: Row, column: string | undefined): string | undefined => {
  const value = column === undefined ? undefined : row[column];
  return value === null || value === undefined || value === '' || value === 'null' ? undefined : String(value);
};

/** `report.pdf, page 3`, or `notes.md, lines 1–2` of what has no pages; undefined where the row is part of no document. */
export const placeOf = (row: Row, { document, page, place }: ReturnType<typeof hitColumns>): string | undefined => {
  const name = held(row, document);
  if (name === undefined) return undefined;
  const number = held(row, page);
  return [name, number === undefined ? held(row, place) : `page ${number}`].filter(Boolean).join(', ');
};

/** The topics of a map as labels: where each stands, and how many points it has. */
export const topicLabels = (
  connection: DuckDBConnection,
  { index_id }: IndexRow,
): Promise<{ label: string; depth: number; points: number; x: number; y: number }[]> =>
  select(connection, 'SELECT short AS label, depth, points, x, y FROM topics WHERE index_id = ? ORDER BY depth, topic', [index_id]);
