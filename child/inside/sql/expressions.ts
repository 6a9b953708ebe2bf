import type { Engine } from '../engine.ts';
import { functionRefusal, knownFunctions, type FunctionFacts } from './functions.ts';
import { isBlank, isTree, parseStatements, textOf, type Tree } from './syntax-tree.ts';

/** Classes of expression that read nothing but their row. */
export const rowClasses: ReadonlySet<string> = new Set([
  'COLUMN_REF',
  'CONSTANT',
  'FUNCTION',
  'CAST',
  'COMPARISON',
  'CONJUNCTION',
  'OPERATOR',
  'CASE',
  'BETWEEN',
  'LAMBDA',
  'LAMBDA_REF',
  'COLLATE',
]);

/** What kinds of expression are called where they are refused. */
export const expressionNames: Record<string, string> = {
  SUBQUERY: 'a sub-select',
  WINDOW: 'a window function',
  STAR: '* or COLUMNS()',
  PARAMETER: 'a parameter',
  POSITIONAL_REFERENCE: 'a column by position',
  DEFAULT: 'DEFAULT',
};

const longest = 4_000;

const notOne = 'must be one scalar expression';

/** The only select item of a statement that has nothing else, or why it is not that. */
function onlyItem(parsed: Awaited<ReturnType<typeof parseStatements>>): Tree | string {
  if ('message' in parsed) return parsed.message || notOne;
  const { statements } = parsed;
  if (statements.length !== 1) return `${notOne}, not several statements`;
  const { node, named_param_map: parameters } = statements[0] as { node: Tree; named_param_map: unknown };
  if (!isBlank(parameters)) return 'a parameter is not allowed';
  if (node['type'] !== 'SELECT_NODE') return notOne;
  const { type: _type, select_list: items, from_table: from, aggregate_handling: handling, ...rest } = node;
  if (!isTree(from) || from['type'] !== 'EMPTY') return `${notOne}, without FROM`;
  if (handling !== 'STANDARD_HANDLING' || !Object.values(rest).every(isBlank)) return `${notOne}, without clauses of a query`;
  if (!Array.isArray(items) || items.length !== 1 || !isTree(items[0])) return `${notOne}, not a list`;
  return items[0]['alias'] === '' ? items[0] : `${notOne}, without AS`;
}

const columnNames = (tree: unknown): string[] => {
  if (Array.isArray(tree)) return tree.flatMap(columnNames);
  if (!isTree(tree)) return [];
  return tree['class'] === 'COLUMN_REF' ? [String((tree['column_names'] as string[])[0])] : Object.values(tree).flatMap(columnNames);
};

type Where = 'expression' | 'query';

/** Judges parts of an expression; `scope` holds the lower-case names of its columns. Macros are judged by their bodies. */
function createJudge(engine: Engine, functions: Map<string, FunctionFacts>, where: Where) {
  const macros = new Map<string, Promise<string | undefined>>();

  const parse = async (sql: string): Promise<Tree | string> => onlyItem(await parseStatements(engine, sql));

  const walk = async (value: unknown, scope: Set<string>): Promise<string | undefined> => {
    if (Array.isArray(value)) {
      for (const item of value) {
        const refusal = await walk(item, scope);
        if (refusal) return refusal;
      }
      return undefined;
    }
    if (!isTree(value)) return undefined;
    const kind = value['class'];
    if (kind === 'CONSTANT') return undefined;
    if (typeof kind === 'string' && !rowClasses.has(kind)) return `${expressionNames[kind] ?? kind.toLowerCase()} is not allowed`;
    if (kind === 'COLUMN_REF') {
      const name = String((value['column_names'] as string[])[0]);
      return scope.has(name.toLowerCase()) ? undefined : `there is no source column '${name}'`;
    }
    if (kind === 'FUNCTION') {
      const refusal = await callRefusal(value);
      if (refusal) return refusal;
    }
    if (kind === 'LAMBDA') return walk(value['expr'], new Set([...scope, ...columnNames(value['lhs']).map((name) => name.toLowerCase())]));
    for (const [key, part] of Object.entries(value)) {
      if (key === 'cast_type') continue;
      const refusal = await walk(part, scope);
      if (refusal) return refusal;
    }
    return undefined;
  };

  const callRefusal = async (call: Tree): Promise<string | undefined> => {
    const name = textOf(call['function_name']).toLowerCase();
    if (!['', 'main'].includes(textOf(call['schema'])) || !isBlank(call['catalog']))
      return `function '${name}' must be called without a schema`;
    const order = call['order_bys'];
    if (where === 'expression' && (!isBlank(call['filter']) || call['distinct'] || (isTree(order) && !isBlank(order['orders']))))
      return `FILTER, DISTINCT and ORDER BY are not allowed`;
    const refusal = functionRefusal(name, functions, where);
    if (refusal) return refusal;
    const facts = functions.get(name);
    if (!facts || facts.macros.length === 0) return undefined;
    const known = macros.get(name) ?? macroRefusal(name, facts);
    macros.set(name, known);
    return known;
  };

  // A macro is what it expands to, so its body has to pass like an expression.
  const macroRefusal = async (name: string, { macros: bodies }: FunctionFacts): Promise<string | undefined> => {
    for (const { parameters, body } of bodies) {
      const item = await parse(`SELECT (\n${body}\n)`);
      if (typeof item === 'string' || (await walk(item, new Set(parameters.map((parameter) => parameter.toLowerCase())))))
        return `function '${name}' is not allowed: it reads more than the ${where === 'query' ? 'tables' : 'row'}`;
    }
    return undefined;
  };

  return { parse, walk, callRefusal };
}

/** Why a call may not stand in a query, or undefined. */
export const createCallCheck = (engine: Engine, functions: Map<string, FunctionFacts>): ((call: Tree) => Promise<string | undefined>) =>
  createJudge(engine, functions, 'query').callRefusal;

/** A check of column expressions against one source: returns why an expression is refused, or undefined. */
export async function createExpressionCheck(
  engine: Engine,
  columns: string[],
): Promise<(expression: string) => Promise<string | undefined>> {
  const { parse, walk } = createJudge(engine, await knownFunctions(engine), 'expression');
  const scope = new Set(columns.map((column) => column.toLowerCase()));
  return async (expression) => {
    if (expression.trim() === '') return 'is empty';
    if (expression.length > longest) return `is longer than ${longest} characters`;
    if (expression.includes('\0')) return 'holds a NUL character';
    // Parsed inside parentheses and without them: only a whole expression passes both, so no `)` can close ours.
    const inside = await parse(`SELECT (\n${expression}\n)`);
    if (typeof inside === 'string') return inside;
    const bare = await parse(`SELECT \n${expression}\n`);
    return typeof bare === 'string' ? bare : walk(inside, scope);
  };
}

/** An expression that passed the check, as it stands in our SQL; the line breaks end a comment of its last line. */
export const embedded = (expression: string): string => `(\n${expression}\n)`;
