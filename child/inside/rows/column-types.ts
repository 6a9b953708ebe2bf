import type { ColumnType, DataColumn } from '../../data-column.ts';

/** Families of DuckDB types as the maps API sees them. */
export type Family = 'integer' | 'float' | 'time' | 'text' | 'vector';

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
export const columnTypeOf = {
  integer: 'int32',
  float: 'float32',
  time: 'timestamp',
  text: 'string',
  vector: 'vector',
} as const satisfies Record<Family, DataColumn['type']>;

/** The column of own vectors. */
export const vectorColumn = '_embeddings';

/** Lists and arrays of numbers, and texts that may be such a list; `width` where the type fixes it. */
export function vectorType(type: string): { width: number | undefined } | undefined {
  if (type === 'VARCHAR') return { width: undefined };
  const item = itemOf(type);
  if (item === undefined || (!['integer', 'float'].includes(familyOf(item) ?? '') && !['VARCHAR', 'JSON'].includes(item))) return undefined;
  const width = Number(/\d*(?=\]$)/.exec(type)![0]);
  return { width: width || undefined };
}

/** A vector as an array of `width` float32, null where it is none; and the reason why a row with it is refused, else null. */
export function vectorSql(sql: string, width: number): { value: string; reason: string } {
  const list = `try_cast(${sql} as float[])`;
  const reason = [
    `when ${sql} is null then 'no vector'`,
    `when ${list} is null then 'not a list of numbers'`,
    `when len(${list}) <> ${width} then 'vector of ' || len(${list}) || ' numbers, expected ${width}'`,
    `when list_count(${list}) <> ${width} then 'a number of the vector is null or does not fit float32'`,
    // The sum is made in float64, which no sum of float32 leaves.
    `when not isfinite(list_sum(${list})) then 'NaN or infinity in the vector'`,
  ];
  return { value: `try_cast(${list} as float[${width}])`, reason: `case ${reason.join(' ')} end` };
}

/** Type of the items of a list or array, undefined for what is none. */
const itemOf = (type: string): string | undefined => /^(.*)\[\d*\]$/s.exec(type)?.[1];

/** Text of a value that stays the same when the inferred type of its column widens: 1, 1.0 and '1' read `1`; a midnight is its date. */
export function stableText(sql: string, type: string): string {
  if (type === 'FLOAT' || type === 'DOUBLE')
    return `case when ${sql} = trunc(${sql}) and abs(${sql}) < 9007199254740992 then (${sql})::bigint::varchar else (${sql})::double::varchar end`;
  if (type.startsWith('DECIMAL'))
    return `case when contains((${sql})::varchar, '.') then rtrim(rtrim((${sql})::varchar, '0'), '.') else (${sql})::varchar end`;
  // One fraction more in a column of lists would else change the text of them all.
  if (['integer', 'float'].includes(familyOf(itemOf(type) ?? '') ?? '')) return `(${sql})::double[]::varchar`;
  if (type.startsWith('TIMESTAMP')) return `regexp_replace((${sql})::varchar, ' 00:00:00(\\+00)?$', '')`;
  return `(${sql})::varchar`;
}

/** Divides a whole number and rounds down: a time before 1970 is cut, not moved forward. */
const floored = (sql: string, by: number): string => `((${sql}) - ((${sql}) % ${by} + ${by}) % ${by}) // ${by}`;

/** A value as a time, null where it is none. A text may name its zone, which a cast to a time without one would drop; without a word it is UTC. */
export const timeOf = (sql: string, type: string): string =>
  `try_cast(${sql} as ${familyOf(type) === 'text' ? 'timestamptz' : 'timestamp'})`;

const timeSql = (sql: string, type: string): string => {
  const time = timeOf(sql, type);
  const ms = type === 'TIMESTAMP_NS' ? floored(`epoch_ns(${sql})`, 1_000_000) : floored(`epoch_us(${time})`, 1_000);
  // Far dates of old Parquet files (INT96) are read wrong, and no table means the year 226414 BC.
  return `case when ${time} between timestamp '0001-01-01' and timestamp '9999-12-31 23:59:59.999999' then (${ms})::double end`;
};

const floatSql = (sql: string): string => `case when isfinite(try_cast(${sql} as float)) then try_cast(${sql} as float) end`;

/** A cast alone would round: a fraction has no place among whole numbers. */
function integerSql(sql: string, from: Family): string {
  const cast = `try_cast(${sql} as integer)`;
  if (from === 'integer') return cast;
  const number = from === 'text' ? `try_cast(${sql} as double)` : sql;
  return `case when ${number} = trunc(${number}) then ${cast} end`;
}

/**
 * SQL that converts a value to what the shard holds (timestamps as a double of epoch milliseconds), null
 * where it does not fit; undefined where the two have nothing to do with each other.
 */
export function conversion(sql: string, type: string, from: Family, to: ColumnType): string | undefined {
  const filled = from === 'text' ? `nullif(${sql}::varchar, '')` : sql;
  if (to === 'string') return `coalesce(nullif(${from === 'text' ? `${sql}::varchar` : stableText(sql, type)}, ''), 'null')`;
  if (to === 'timestamp') {
    if (from === 'integer') return `try_cast(${sql} as bigint)::double`;
    return from === 'float' ? undefined : timeSql(filled, type);
  }
  if (from === 'time') return undefined;
  return to === 'int32' ? integerSql(filled, from) : floatSql(filled);
}

/** SQL of the condition that a value was there and did not fit. */
export const misfit = (sql: string, from: Family, converted: string): string =>
  `(${from === 'text' ? `nullif(${sql}::varchar, '')` : sql}) is not null and (${converted}) is null`;
