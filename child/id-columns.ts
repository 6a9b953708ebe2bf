import { isQuery } from '../pipelines/source-name.ts';
import type { SourceSpec } from '../pipelines/source-spec.ts';

/** Columns of a source whose values are ids, by name; `all`: of each it may be so. */
export type IdColumns = 'all' | readonly string[];

export const isIn = (ids: IdColumns, name: string): boolean => ids === 'all' || ids.includes(name);

/** The columns of the source that are the id of its rows: the one of this name, and the one that is called so under `columns`. */
export const idColumns = (id: string | undefined, columns: Record<string, string> | undefined): IdColumns =>
  id === undefined ? [] : [id, ...(columns?.[id] === undefined ? [] : [columns[id]])];

/** For who reads texts alone: every value as it stands there (`3.50`). What a query compares and adds up stays what it is. */
export const allTexts = (source: SourceSpec): IdColumns => (isQuery(source) ? [] : 'all');
