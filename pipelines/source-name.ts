import { canonical } from '../text/canonical-json.ts';
import type { PlanSource } from './plan.ts';
import type { FileOptions, FileSpec, SourceSpec } from './source-spec.ts';

export const pathOf = (file: FileSpec): string => (typeof file === 'string' ? file : file.path);

/** How a file is to be read; nothing for a plain path. */
export function optionsOf(file: FileSpec): FileOptions {
  if (typeof file === 'string') return {};
  const { path: _path, ...options } = file;
  return options;
}

export const isQuery = (source: SourceSpec): source is Exclude<SourceSpec, FileSpec> => typeof source === 'object' && 'sql' in source;

/** The tables of a source by name; one that is no query has one table without a name. */
export const tablesOf = (source: SourceSpec): [table: string, file: FileSpec][] =>
  isQuery(source) ? Object.entries(source.tables) : [['', source]];

const fileName = (file: FileSpec): string => {
  const said = Object.entries(optionsOf(file)).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${typeof value === 'string' ? value : canonical({ ...value })}`],
  );
  return said.length === 0 ? pathOf(file) : `${pathOf(file)} (${said.sort().join(', ')})`;
};

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
