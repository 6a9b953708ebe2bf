import type { Engine } from '../engine.ts';

/** What DuckDB says of a function name, over all its overloads. */
export type FunctionFacts = { kinds: Set<string>; stabilities: Set<string>; macros: { parameters: string[]; body: string }[] };

/** Called stable by DuckDB, and yet they read the clock, the settings or the storage, or run SQL given as text. */
const refusedByName =
  /^(current_.*|getenv|getvariable|age|today|now|query|query_table|in_search_path|stats|vector_type|combine|finalize|json_(de)?serialize_.*|json_execute_.*|parse_duckdb_log_message|add_parquet_key|has_.*_privilege|pg_.*|inet_.*|__internal_.*|read_.*|sniff_.*|glob|nextval|currval|txid_current|sleep.*|write_log|error)$/;

let known: Promise<Map<string, FunctionFacts>> | undefined;

/** Every function of this DuckDB by its lower-case name: the same in every engine of this process. */
export const knownFunctions = (engine: Engine): Promise<Map<string, FunctionFacts>> =>
  (known ??= readFunctions(engine).catch((error: unknown) => {
    known = undefined;
    throw error;
  }));

async function readFunctions(engine: Engine): Promise<Map<string, FunctionFacts>> {
  const rows = await engine.rows(
    `select lower(function_name) as name, function_type as kind, coalesce(stability, '') as stability, macro_definition as body, to_json(parameters)::varchar as parameters
     from duckdb_functions() where internal group by all`,
  );
  const functions = new Map<string, FunctionFacts>();
  for (const row of rows) {
    const name = String(row['name']);
    const facts = functions.get(name) ?? { kinds: new Set(), stabilities: new Set(), macros: [] };
    functions.set(name, facts);
    facts.kinds.add(String(row['kind']));
    if (row['kind'] === 'scalar') facts.stabilities.add(String(row['stability']));
    if (row['kind'] === 'macro')
      facts.macros.push({ parameters: JSON.parse(String(row['parameters'])) as string[], body: String(row['body']) });
  }
  return functions;
}

/** Functions of a select list or a window that DuckDB does not list. */
const queryOnly =
  /^(unnest|row_number|rank|dense_rank|rank_dense|percent_rank|cume_dist|ntile|lag|lead|first_value|last_value|nth_value|fill)$/;

/**
 * Why a function may not stand in a column expression, or in a query, where aggregates and windows may; undefined
 * where it may. Macros are judged by their bodies elsewhere.
 */
export function functionRefusal(
  name: string,
  functions: Map<string, FunctionFacts>,
  where: 'expression' | 'query' = 'expression',
): string | undefined {
  if (where === 'query' && queryOnly.test(name)) return undefined;
  const facts = functions.get(name);
  if (!facts) return `there is no function '${name}'`;
  if (refusedByName.test(name) || name === 'unnest')
    return `function '${name}' is not allowed: it reads more than the ${where === 'query' ? 'tables' : 'row'}`;
  if (where === 'query' && facts.kinds.has('aggregate')) return undefined;
  if (facts.kinds.has('aggregate')) return `function '${name}' is not allowed: it is an aggregate, and rows out must be rows in`;
  if (!facts.kinds.has('scalar') && !facts.kinds.has('macro')) return `function '${name}' is not allowed: it makes a table, not a value`;
  if ([...facts.stabilities].some((stability) => stability !== 'CONSISTENT'))
    return `function '${name}' is not allowed: its value changes from call to call`;
  return undefined;
}
