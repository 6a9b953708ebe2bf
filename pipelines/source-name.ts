import { canonical } from '../text/canonical-json.ts';
import type { PlanSource } from './plan.ts';
import type { CsvOptions, FileSpec, SourceSpec } from './source-spec.ts';

export const pathOf = (file: FileSpec): string => (typeof file === 'string' ? file : file.path);

/** What a file says of its CSV; nothing for a plain path. */
export const csvOf = (file: FileSpec): CsvOptions => (typeof file === 'string' ? {} : file.csv);

export const isQuery = (source: SourceSpec): source is Exclude<SourceSpec, FileSpec> => typeof source === 'object' && 'sql' in source;

/** The tables of a source by name; one that is no query has one table without a name. */
export const tablesOf = (source: SourceSpec): [table: string, file: FileSpec][] =>
  isQuery(source) ? Object.entries(source.tables) : [['', source]];

const fileName = (file: FileSpec): string => (typeof file === 'string' ? file : `${file.path} (csv: ${canonical({ ...file.csv })})`);

/** The name of a source in messages, facts and fingerprints: a path is its own; a query is its text with its tables. */
export const sourceName = (source: SourceSpec): string =>
  isQuery(source)
    ? `sql: ${source.sql.replace(/\s+/g, ' ').trim()} [${Object.entries(source.tables)
        .map(([table, file]) => `${table}: ${fileName(file)}`)
        .join(', ')}]`
    : fileName(source);

/** The source that a line of a plan names. */
export const sourceOf = ({ path, file, sql, tables }: Pick<PlanSource, 'path' | 'file' | 'sql' | 'tables'>): SourceSpec =>
  sql === undefined ? (file ?? path) : { sql, tables: tables ?? {} };
