import { canonical } from '../text/canonical-json.ts';
import type { PlanSource } from './plan.ts';
import type { FileOptions, FileSpec, RemoteFile, SourceSpec } from './source-spec.ts';

/** An address such as `https://…` or `s3://…`; everything else is a path. */
export const isAddress = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(text);

/** True of a file that is fetched before it is read. */
export const isRemote = (file: FileSpec): file is RemoteFile => (typeof file === 'string' ? isAddress(file) : !('path' in file));

/** True where a file of a source is elsewhere. */
export const hasRemote = (source: SourceSpec): boolean => tablesOf(source).some(([, file]) => isRemote(file));

/** The path, glob or address of a file; of the rows of a query, the name of the database. */
export const pathOf = (file: FileSpec): string =>
  typeof file === 'string'
    ? file
    : 'path' in file
      ? file.path
      : 'http' in file
        ? file.http
        : 's3' in file
          ? file.s3
          : `postgres:${file.postgres}`;

/** The same in messages and progress: what stands in the query of an address may be secret. */
export function shownPath(file: FileSpec): string {
  const path = pathOf(file);
  return /^https?:/i.test(path) ? path.replace(/[?#].*$/s, '') : path;
}

/** How a file is to be read; nothing for a plain path. */
export function optionsOf(file: FileSpec): FileOptions {
  if (typeof file === 'string') return {};
  const { csv, excel, fileColumn } = file;
  return { ...(csv && { csv }), ...(excel && { excel }), ...(fileColumn !== undefined && { fileColumn }) };
}

export const isQuery = (source: SourceSpec): source is Exclude<SourceSpec, FileSpec> => typeof source === 'object' && 'tables' in source;

/** True of rows that are asked for, of files or of a database: there may be none, where a file without rows was probably cut. */
export const isAsked = (source: SourceSpec): boolean => isQuery(source) || (typeof source === 'object' && 'postgres' in source);

/** The tables of a source by name; one that is no query has one table without a name. */
export const tablesOf = (source: SourceSpec): [table: string, file: FileSpec][] =>
  isQuery(source) ? Object.entries(source.tables) : [['', source]];

/** The name of one file: its path or address, and what is said of it. Secrets are names in it. */
export const fileName = (file: FileSpec): string => {
  const {
    path: _path,
    http: _http,
    s3: _s3,
    postgres: _postgres,
    ...rest
  }: { [field: string]: unknown } = typeof file === 'string' ? {} : file;
  const said = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${typeof value === 'string' ? value : canonical({ ...(value as object) })}`],
  );
  return said.length === 0 ? pathOf(file) : `${pathOf(file)} (${said.sort().join(', ')})`;
};

/** What stands in quotes is kept as it is, a comment is none of it, and all other blanks mean the same. */
const quotedOrBlank = /('(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[^]*?\$\2\$)|(?:--[^\n]*|\/\*[^]*?\*\/|\s)+/g;

/** SQL in one line, the same for texts that mean the same: without comments and blanks that mean nothing. */
export const oneLine = (sql: string): string => sql.replace(quotedOrBlank, (_, quoted: string | undefined) => quoted ?? ' ').trim();

/** The name of a source in messages, facts and fingerprints: a path is its own; a query is its text with its tables. */
export const sourceName = (source: SourceSpec): string =>
  isQuery(source)
    ? `sql: ${oneLine(source.sql)} [${Object.entries(source.tables)
        .map(([table, file]) => `${table}: ${fileName(file)}`)
        .join(', ')}]`
    : fileName(source);

/** A source with other files in place of those that are elsewhere. */
export const withFiles = (source: SourceSpec, local: (file: RemoteFile) => FileSpec): SourceSpec => {
  const here = (file: FileSpec): FileSpec => (isRemote(file) ? local(file) : file);
  return isQuery(source)
    ? { ...source, tables: Object.fromEntries(Object.entries(source.tables).map(([table, file]) => [table, here(file)])) }
    : here(source);
};

/** The source that a line of a plan names. */
export const sourceOf = ({ path, file, sql, tables }: Pick<PlanSource, 'path' | 'file' | 'sql' | 'tables'>): SourceSpec =>
  sql === undefined ? (file ?? path) : { sql, tables: tables ?? {} };

/**
 * The name of a source's fingerprint. One pattern may be a table for one step, a list of files for another and a file to send for a third:
 * what is looked at differs, and so does the name.
 */
export const printName = ({ path, raw, list }: Pick<PlanSource, 'path' | 'raw' | 'list'>): string =>
  list ? `the files of ${path}` : raw ? `the file ${path}` : path;
