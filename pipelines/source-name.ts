import type { PlanSource } from './plan.ts';
import type { SourceSpec } from './step.ts';

/** The name of a source in messages, facts and fingerprints: a path is its own; a query is its text with its tables. */
export const sourceName = (source: SourceSpec): string =>
  typeof source === 'string'
    ? source
    : `sql: ${source.sql.replace(/\s+/g, ' ').trim()} [${Object.entries(source.tables)
        .map(([table, path]) => `${table}: ${path}`)
        .join(', ')}]`;

/** The source that a line of a plan names. */
export const sourceOf = ({ path, sql, tables }: Pick<PlanSource, 'path' | 'sql' | 'tables'>): SourceSpec =>
  sql === undefined ? path : { sql, tables: tables ?? {} };
