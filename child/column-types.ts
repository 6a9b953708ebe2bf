import type { ColumnType } from './tables.ts';

/** Families of DuckDB types as the maps API sees them. */
export type Family = 'integer' | 'float' | 'time' | 'text';

const families: [RegExp, Family][] = [
  [/^U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$|^(BIGNUM|VARINT)$/, 'integer'],
  [/^(FLOAT|DOUBLE)$|^DECIMAL\(\d+,\d+\)$/, 'float'],
  [/^DATE$|^TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?$/, 'time'],
  // A time of day or an interval is no point in time: its text is what it says.
  [/^(VARCHAR|UUID|JSON|BIT|INTERVAL|"NULL"|TIME(_NS| WITH TIME ZONE)?)$|^ENUM\(.*\)$/s, 'text'],
];

/** The family of a DuckDB type, undefined where the API has no place for it: boolean, list, struct, map, union, blob. */
export const familyOf = (type: string): Family | undefined => families.find(([pattern]) => pattern.test(type))?.[1];

/** The API's type of a family (table rules): integers are int32, floats float32, dates and times timestamp[ms]. */
export const columnTypeOf: Record<Family, ColumnType> = { integer: 'int32', float: 'float32', time: 'timestamp', text: 'string' };

/** Text of a value that stays the same when the inferred type of its column widens: 1, 1.0 and '1' read `1`; a midnight is its date. */
export function stableText(sql: string, type: string): string {
  if (type === 'FLOAT' || type === 'DOUBLE')
    return `case when ${sql} = trunc(${sql}) and abs(${sql}) < 9007199254740992 then (${sql})::bigint::varchar else (${sql})::double::varchar end`;
  if (type.startsWith('DECIMAL'))
    return `case when contains((${sql})::varchar, '.') then rtrim(rtrim((${sql})::varchar, '0'), '.') else (${sql})::varchar end`;
  if (type.startsWith('TIMESTAMP')) return `regexp_replace((${sql})::varchar, ' 00:00:00(\\+00)?$', '')`;
  return `(${sql})::varchar`;
}

const timeSql = (sql: string): string => {
  const time = `try_cast(${sql} as timestamp)`;
  return `case when isfinite(${time}) then epoch_ms(${time})::double end`;
};

const floatSql = (sql: string): string => `case when isfinite(try_cast(${sql} as float)) then try_cast(${sql} as float) end`;

/**
 * SQL that converts a value to what the shard holds (timestamps as a double of epoch milliseconds), null
 * where it does not fit; undefined where the two have nothing to do with each other.
 */
export function conversion(sql: string, type: string, from: Family, to: ColumnType): string | undefined {
  const filled = from === 'text' ? `nullif(${sql}::varchar, '')` : sql;
  if (to === 'string') return `coalesce(nullif(${from === 'text' ? `${sql}::varchar` : stableText(sql, type)}, ''), 'null')`;
  if (to === 'timestamp') {
    if (from === 'integer') return `try_cast(${sql} as bigint)::double`;
    return from === 'float' ? undefined : timeSql(filled);
  }
  if (from === 'time') return undefined;
  return to === 'int32' ? `try_cast(${filled} as integer)` : floatSql(filled);
}

/** SQL of the condition that a value was there and did not fit. */
export const misfit = (sql: string, from: Family, converted: string): string =>
  `(${from === 'text' ? `nullif(${sql}::varchar, '')` : sql}) is not null and (${converted}) is null`;
