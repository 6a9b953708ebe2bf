import type { Source } from '../source.ts';
import { familyOf, vectorColumn, vectorType, type Family } from './column-types.ts';
import { duckMessage } from '../duck-error.ts';
import { createExpressionCheck, embedded } from '../sql/expressions.ts';
import { nearest } from '../../../text/nearest.ts';
import { identifier } from '../../../text/sql.ts';
import { remedyOf } from './remedy.ts';
import type { WrongColumn } from '../../tables.ts';
import type { Verdict } from '../../../errors/classes.ts';

/** A column of the dataset to be: SQL over the source, its DuckDB type and family. */
export type BoundColumn = { name: string; sql: string; type: string; family: Family };

export type ColumnFinding = WrongColumn & { verdict: Verdict };

const reserved = new Set(['_embeddings', '_blob_hash']);

/** Why a dataset may not have a column of this name (maps API, table rules); `taken` holds the lower-case names before it. */
export function nameRefusal(name: string, taken: Set<string>): string | undefined {
  if (name === '') return 'a column needs a name';
  if (name.startsWith('_') && !reserved.has(name)) return 'a name may not begin with _; give it another name under columns:';
  if (taken.has(name.toLowerCase())) return 'another column has this name when case is ignored; rename one under columns:';
  return undefined;
}

/** True of a name that was to be the one of vectors. */
const meantVector = (name: string): boolean => name !== vectorColumn && nearest(name, [vectorColumn]) !== undefined;

const short = (type: string): string => (type.length > 60 ? `${type.slice(0, 57)}...` : type);

const notVector = (type: string): string =>
  `its type ${short(type)} is no vector: a list of numbers, all of one length; or give the column another name under columns:`;

/** A column of vectors whose values are none, with the one column of the source that holds lists of numbers. */
export function notVectors({ name, type }: BoundColumn, source: Source['columns']): WrongColumn {
  const [only, another] = source.filter((column) => column.type !== 'VARCHAR' && vectorType(column.type));
  return {
    column: name,
    message: `no row has a vector, a list of numbers: its values are ${short(type)}; name a column of vectors, or give it another name under columns:`,
    ...(only && !another && { instead: only.name }),
  };
}

/** The cast in one line. */
const castOf = (sql: string, type: string): string => remedyOf(sql.replaceAll('\n', ''), type);

const refusedType = (sql: string, type: string): string =>
  `its type ${short(type)} has no place in a dataset (int32, float32, timestamp, string); cast it under columns:, for example ${castOf(sql, type)}, or leave it out`;

/** Why a column of this type cannot be a dataset's, with the remedy. */
export const typeRefusal = (name: string, sql: string, type: string): string =>
  name === vectorColumn ? notVector(type) : refusedType(sql, type);

/**
 * Binds the columns of a dataset to a source: a value that is exactly a source column's name is that column,
 * any other a checked scalar expression; without `columns` every column as it is. One finding per bad column.
 */
export async function bindColumns(
  source: Source,
  columns: Record<string, string> | undefined,
): Promise<{ bound: BoundColumn[]; findings: ColumnFinding[] }> {
  const { engine } = source;
  const byName = new Map(source.columns.map((column) => [column.name, column]));
  const findings: ColumnFinding[] = [];
  const bound: BoundColumn[] = [];
  const taken = new Set<string>();
  const wanted = Object.entries(columns ?? Object.fromEntries(source.columns.map(({ name }) => [name, name])));
  const add = (name: string, sql: string, type: string): void => {
    const vector = name === vectorColumn;
    const family = vector ? vectorType(type) && 'vector' : familyOf(type);
    if (family) bound.push({ name, sql, type, family });
    else
      findings.push({
        column: name,
        message: typeRefusal(name, sql, type),
        verdict: 'bad_input',
        ...(vector ? {} : vectorType(type) && meantVector(name) ? { named: vectorColumn } : { instead: castOf(sql, type) }),
      });
  };
  let check: ((expression: string) => Promise<string | undefined>) | undefined;
  for (const [name, value] of wanted) {
    const refusal = nameRefusal(name, taken);
    taken.add(name.toLowerCase());
    if (refusal) {
      findings.push({ column: name, message: refusal, verdict: 'bad_input', ...(meantVector(name) ? { named: vectorColumn } : {}) });
      continue;
    }
    const exact = byName.get(value);
    if (exact) {
      add(name, identifier(value), exact.type);
      continue;
    }
    if (!check) {
      check = await createExpressionCheck(engine, [...byName.keys()]);
      // Expressions bind against an empty table of the same shape, so that the file is not read once for each.
      await engine.run(`create table own.source_shape as select * from ${source.relation} limit 0`);
    }
    const refused = await check(value);
    if (refused) {
      findings.push({ column: name, message: refused, verdict: 'refused_expression' });
      continue;
    }
    try {
      const [described] = await engine.rows(`describe select ${embedded(value)} as value from own.source_shape`);
      const type = String(described!['column_type']);
      if (type === 'JSON') add(name, `(${embedded(value)} ->> '$')`, 'VARCHAR');
      else add(name, embedded(value), type);
    } catch (error) {
      findings.push({ column: name, message: duckMessage(error), verdict: 'bad_input' });
    }
  }
  return { bound, findings };
}
