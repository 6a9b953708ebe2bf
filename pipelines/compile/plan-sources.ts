import { hasExpression } from '../expressions/scan.ts';
import { mapFormFiles } from '../form-files.ts';
import type { PlanSource, PlanStep } from '../plan.ts';
import { sourceName } from '../source-name.ts';
import type { FileSpec } from '../source-spec.ts';
import { isFields, type Json, type JsonFields } from '../../text/json.ts';
import { resolvePath } from '../resolve-path.ts';

const isLiteral = (value: Json | undefined): value is string => typeof value === 'string' && !hasExpression(value);

/** The tables of a query over files, undefined where the value is none. */
const tablesIn = (value: Json | undefined): JsonFields | undefined => {
  const tables = isFields(value) && 'sql' in value ? value['tables'] : undefined;
  return isFields(tables) ? tables : undefined;
};

/** The beginning of an address, or all of one. */
const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** A path as the folder sees it, also one whose end is known only in the run; what begins with an expression is left as it is. */
function resolved(path: string, baseDir: string): string {
  if (!hasExpression(path)) return resolvePath(path, baseDir);
  const head = path.slice(0, path.indexOf('${{'));
  if (head === '' || head.startsWith('/') || scheme.test(head)) return path;
  const folder = head.endsWith('/') && head !== '/' ? '/' : '';
  return `${resolvePath(head, baseDir)}${folder}${path.slice(head.length)}`;
}

/** A file with a word on how it is read. */
const isOptioned = (value: Json | undefined): value is { path: string } => isFields(value) && isLiteral(value['path']);

const mapFields = (fields: JsonFields, change: (value: Json, field: string) => Json): JsonFields =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, change(value, field)]));

type Fetched = { http: string } | { s3: string } | { postgres: string; query: string };

/** A file that is fetched, with a word on how. */
const isFetched = (value: Json | undefined): value is Fetched =>
  isFields(value) && (isLiteral(value['http']) || isLiteral(value['s3']) || (isLiteral(value['postgres']) && isLiteral(value['query'])));

/** A file of which more is said than where it is, all of it known before the run. */
const isSaid = (value: Json | undefined): value is { path: string } | Fetched => (isOptioned(value) || isFetched(value)) && isKnown(value);

/** The input with absolute paths: fields that hold one, and the tables of queries. */
const withPaths = (input: JsonFields, paths: readonly string[], baseDir: string): Json => {
  const absolute = (value: Json): Json => {
    if (isFields(value) && typeof value['path'] === 'string') return { ...value, path: resolved(value['path'], baseDir) };
    return typeof value === 'string' ? resolved(value, baseDir) : value;
  };
  return mapFields(input, (value, field) => {
    if (!paths.includes(field)) return value;
    const tables = tablesIn(value);
    return tables ? { ...(value as JsonFields), tables: mapFields(tables, absolute) } : absolute(value);
  });
};

/** True where no part of a value is an expression. */
const isKnown = (value: Json): boolean => !hasExpression(JSON.stringify(value));

/** Which parts of a step's input name files: fields that hold a path, those of them whose files are taken as they are, and whether it sends a form. */
export type Named = { paths?: readonly string[]; lists?: readonly string[]; files?: boolean };

/** The input of a step with absolute paths. */
export const withResolved = (input: Json, { paths = [], files }: Named, baseDir: string): Json =>
  withFormFiles(withPaths(input as JsonFields, paths, baseDir), files, baseDir);

/** The files that a planned step reads; those that a pipeline is given are read by the steps of that. */
export const namedFiles = (planned: Pick<PlanStep, 'id' | 'kind' | 'with'>, named: Named): PlanSource[] =>
  planned.kind === 'pipeline' ? [] : [...sourcesOf(planned, named), ...formFilesOf(planned, named)];

/** The tables that the paths of a planned step name. */
const sourcesOf = ({ id, with: input }: Pick<PlanStep, 'id' | 'with'>, { paths = [], lists = [] }: Named): PlanSource[] =>
  paths.flatMap((field): PlanSource[] => {
    const value = (input as JsonFields)[field];
    if (isLiteral(value)) return [{ step: id, field, path: value, ...(lists.includes(field) ? { raw: true, list: true } : {}) }];
    if (isSaid(value)) return [{ step: id, field, path: sourceName(value), file: value }];
    const tables = tablesIn(value);
    const sql = (value as JsonFields | undefined)?.['sql'];
    if (!tables || !isLiteral(sql) || !Object.values(tables).every((each) => isLiteral(each) || isSaid(each))) return [];
    const query = { sql, tables: tables as { [table: string]: FileSpec } };
    return [{ step: id, field, path: sourceName(query), ...query }];
  });

/** The input of a step that sends a form, the paths of its files absolute. */
const withFormFiles = (input: Json, files: boolean | undefined, baseDir: string): Json =>
  files ? (mapFormFiles(input, (path) => ({ file: resolvePath(path, baseDir) })) as Json) : input;

/** The files of the form that a planned step sends. */
function formFilesOf({ id, with: input }: Pick<PlanStep, 'id' | 'with'>, { files }: Named): PlanSource[] {
  const found: PlanSource[] = [];
  if (files)
    mapFormFiles(input, (path, at) => {
      found.push({ step: id, field: at.join('.'), path, raw: true });
      return path;
    });
  return found;
}
