import type { Engine } from '../engine.ts';
import { createCallCheck, expressionNames, rowClasses } from './expressions.ts';
import { knownFunctions } from './functions.ts';
import { isBlank, isTree, parseStatements, textOf, type Tree } from './syntax-tree.ts';
import type { SqlRefusal } from '../../tables.ts';

const longest = 20_000;

/** Parts of a query that read tables by name, combine them or order them; everything else is refused by its name. */
const allowedParts = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
  'CTE_NODE',
  'BASE_TABLE',
  'JOIN',
  'SUBQUERY',
  'EMPTY',
  'EXPRESSION_LIST',
  'ORDER_MODIFIER',
  'LIMIT_MODIFIER',
  'LIMIT_PERCENT_MODIFIER',
  'DISTINCT_MODIFIER',
  'ORDER_DEFAULT',
  'ASCENDING',
  'DESCENDING',
]);

/** A query may also look into tables and windows. */
const allowedClasses = new Set([...rowClasses, 'SUBQUERY', 'WINDOW', 'STAR']);

const partNames: Record<string, string> = {
  TABLE_FUNCTION: 'a table function',
  SHOW_REF: 'DESCRIBE, SHOW or SUMMARIZE',
  PIVOT: 'PIVOT or UNPIVOT',
};

/** Without brackets these are read as columns first, and else as what the clock says. */
const clockNames = /^(current_date|current_time|current_timestamp|localtime|localtimestamp)$/i;

/** Draw at random, whatever DuckDB says of their stability. */
const drawing = new Set(['reservoir_quantile']);

const place = (tree: Tree): Pick<SqlRefusal, 'at'> => {
  const at = tree['query_location'];
  return typeof at === 'number' && at <= longest * 4 ? { at } : {};
};

/** The byte at which a part begins: its own, or that of the first part in it that has one. */
function placeIn(value: unknown): Pick<SqlRefusal, 'at'> {
  if (Array.isArray(value)) return value.map(placeIn).find(({ at }) => at !== undefined) ?? {};
  if (!isTree(value)) return {};
  const own = place(value);
  return own.at === undefined ? placeIn(Object.values(value)) : own;
}

/** The text without the semicolon at its end. */
const trimmed = (sql: string): string => sql.replace(/\s*;\s*$/, '');

/** A query that passed its check, as it stands in our SQL; the line breaks end a comment of its last line. */
export const embeddedQuery = (sql: string): string => `(\n${trimmed(sql)}\n)`;

const repeatable = 'which rows it takes would change from run to run';

/** The byte at which what follows a first statement begins. */
function secondStatement(sql: string): number | undefined {
  const end = sql.search(/;\s*\S/);
  return end < 0 ? undefined : Buffer.byteLength(sql.slice(0, end));
}

/**
 * A check of queries over tables of these names: exactly one SELECT, which reads nothing but these tables and gives
 * the same rows whenever they hold the same. Returns the first refusal, or undefined.
 */
export async function createSqlCheck(engine: Engine, tables: readonly string[]): Promise<(sql: string) => Promise<SqlRefusal | undefined>> {
  const callCheck = createCallCheck(engine, await knownFunctions(engine));
  const listed = tables.join(', ');

  const callRefusal = async (call: Tree): Promise<string | undefined> => {
    const name = textOf(call['function_name']).toLowerCase();
    return drawing.has(name) ? `function '${name}' is not allowed: it draws at random` : callCheck(call);
  };

  const walkAll = async (values: Iterable<unknown>, scope: ReadonlySet<string>): Promise<SqlRefusal | undefined> => {
    for (const value of values) {
      const refusal = await walk(value, scope);
      if (refusal) return refusal;
    }
    return undefined;
  };

  const walk = async (value: unknown, scope: ReadonlySet<string>): Promise<SqlRefusal | undefined> => {
    if (Array.isArray(value)) return walkAll(value, scope);
    if (!isTree(value)) return undefined;
    const kind = value['class'];
    return typeof kind === 'string' ? walkExpression(kind, value, scope) : walkPart(value, scope);
  };

  const walkExpression = async (kind: string, value: Tree, scope: ReadonlySet<string>): Promise<SqlRefusal | undefined> => {
    if (kind === 'CONSTANT') return undefined;
    if (!allowedClasses.has(kind)) return { message: `${expressionNames[kind] ?? kind.toLowerCase()} is not allowed`, ...place(value) };
    if (kind === 'COLUMN_REF') {
      const names = value['column_names'] as string[];
      return names.length === 1 && clockNames.test(names[0]!)
        ? {
            message: `'${names[0]}' is not allowed: its value changes from run to run; a column of that name is written table.${names[0]}`,
            ...place(value),
          }
        : undefined;
    }
    if (kind === 'FUNCTION' || kind === 'WINDOW') {
      const message = await callRefusal(value);
      if (message) return { message, ...place(value) };
    }
    return walkAll(
      Object.entries(value).flatMap(([key, part]) => (key === 'cast_type' ? [] : [part])),
      scope,
    );
  };

  const walkPart = async (value: Tree, outer: ReadonlySet<string>): Promise<SqlRefusal | undefined> => {
    const type = value['type'];
    if (typeof type === 'string' && !allowedParts.has(type))
      return {
        message: `${partNames[type] ?? type.toLowerCase()} is not allowed: a query reads its tables (${listed}) and nothing else`,
        ...placeIn(value),
      };
    if (!isBlank(value['sample']))
      return { message: `a sample is not allowed: ${repeatable}; use where, or order by with limit`, ...placeIn(value) };
    if (type === 'BASE_TABLE') return tableRefusal(value, outer);
    const unordered = orderRefusal(value);
    if (unordered) return unordered;
    let scope = outer;
    const ctes = isTree(value['cte_map']) ? (value['cte_map']['map'] as { key: string; value: Tree }[]) : [];
    for (const { key, value: cte } of ctes) {
      const name = key.toLowerCase();
      const own = isTree(cte['query']) && isTree(cte['query']['node']) ? cte['query']['node'] : {};
      const refusal = await walk(cte, own['type'] === 'RECURSIVE_CTE_NODE' ? new Set([...scope, name]) : scope);
      if (refusal) return refusal;
      scope = new Set([...scope, name]);
    }
    if (type === 'RECURSIVE_CTE_NODE' || type === 'CTE_NODE') scope = new Set([...scope, textOf(value['cte_name']).toLowerCase()]);
    return walkAll(
      Object.entries(value).flatMap(([key, part]) => (key === 'cte_map' ? [] : [part])),
      scope,
    );
  };

  const tableRefusal = (table: Tree, scope: ReadonlySet<string>): SqlRefusal | undefined => {
    const [catalog, schema, name] = ['catalog_name', 'schema_name', 'table_name'].map((key) => textOf(table[key])) as [
      string,
      string,
      string,
    ];
    if (!isBlank(table['at_clause'])) return { message: 'AT is not allowed', ...place(table) };
    if (catalog !== '' || schema !== '')
      return {
        message: `'${[catalog, schema, name].filter(Boolean).join('.')}' is not allowed: tables are named without a schema`,
        ...place(table),
      };
    return scope.has(name.toLowerCase()) ? undefined : { message: `there is no table '${name}'; the query has ${listed}`, ...place(table) };
  };

  return async (sql) => {
    if (sql.trim() === '') return { message: 'the query is empty' };
    if (sql.length > longest) return { message: `the query is longer than ${longest.toLocaleString('en-US')} characters` };
    if (sql.includes('\0')) return { message: 'the query holds a NUL character' };
    const parsed = await parseStatements(engine, sql);
    if ('message' in parsed)
      return /Only SELECT/.test(parsed.message)
        ? { message: 'only one SELECT is allowed', at: secondStatement(sql) ?? parsed.at }
        : { message: parsed.message, at: parsed.at };
    if (parsed.statements.length !== 1) return { message: `one SELECT is allowed, not ${parsed.statements.length} statements` };
    // Parsed as it will stand as well: no bracket of the text can close ours.
    const inside = await parseStatements(engine, `select * from ${embeddedQuery(sql)}`);
    if ('message' in inside || inside.statements.length !== 1) return { message: 'the query must be one SELECT by itself' };
    const [statement] = parsed.statements;
    if (!isBlank(statement!['named_param_map'])) return { message: 'a parameter is not allowed' };
    return walk(statement!['node'], new Set(tables.map((table) => table.toLowerCase())));
  };
}

/** LIMIT, OFFSET and DISTINCT ON take some rows of many: without an order, which ones is not said. */
function orderRefusal(node: Tree): SqlRefusal | undefined {
  const modifiers = Array.isArray(node['modifiers']) ? (node['modifiers'] as Tree[]) : [];
  const ordered = modifiers.some(({ type }) => type === 'ORDER_MODIFIER');
  for (const modifier of ordered ? [] : modifiers) {
    if (modifier['type'] === 'LIMIT_MODIFIER' || modifier['type'] === 'LIMIT_PERCENT_MODIFIER')
      return { message: `limit without order by: ${repeatable}; add order by a column that differs in every row`, ...placeIn(modifier) };
    if (modifier['type'] === 'DISTINCT_MODIFIER' && !isBlank(modifier['distinct_on_targets']))
      return { message: `distinct on without order by: ${repeatable}; add order by`, ...placeIn(modifier) };
  }
  return undefined;
}
