import { isDecimal } from '../../../text/decimal.ts';
import { instant } from '../../../contracts/time.ts';
import type { ColumnType } from '../../../child/data-column.ts';
import type { Filter } from '../../../contracts/maps/selection.ts';
import type { SelectionReadings } from './readings.ts';
import { SelectionError } from './error.ts';

export type Param = string | number | boolean | null;
export type Fragment = { sql: string; params: Param[] };
type Leaf = Exclude<Filter, { method: 'composition' }>;
type Leaves = {
  [M in Leaf['method']]: (filter: Extract<Leaf, { method: M }>, column: string, type: ColumnType, readings: SelectionReadings) => Fragment;
};

const never: Fragment = { sql: 'false', params: [] };

/** Values of a column as doubles: timestamps as epoch milliseconds. NaN, which DuckDB sorts above everything, becomes null. */
const numeric: Record<Exclude<ColumnType, 'string'>, (column: string) => string> = {
  int32: (column) => `CAST(${column} AS DOUBLE)`,
  float32: (column) => `nullif(CAST(${column} AS DOUBLE), 'nan'::DOUBLE)`,
  timestamp: (column) => `CAST(epoch_ms(${column}) AS DOUBLE)`,
};

const LARGEST_FLOAT32 = 3.4028234663852886e38;

/** A bound of the user as the column holds it: 0.7 must include the stored float32 that was written as 0.7. */
const bound = (value: number, type: ColumnType, end: 'from' | 'to'): number => {
  const stored = type === 'float32' ? Math.fround(value) : value;
  if (Number.isFinite(stored) || !Number.isFinite(value)) return stored;
  return (end === 'from') === stored < 0 ? Math.sign(stored) * LARGEST_FLOAT32 : stored;
};

/** As text, because a driver binds a whole number as an integer and refuses 1e20. */
const double = (value: number): string => (Object.is(value, -0) ? '0' : String(value));

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** A category value as a number column compares it, or undefined where it can match nothing there. */
const asNumber = (value: string | number | boolean, type: ColumnType): number | undefined => {
  if (typeof value === 'boolean') return type === 'timestamp' ? undefined : Number(value);
  if (typeof value === 'number') return type === 'float32' ? Math.fround(value) : value;
  const text = value.trim();
  if (isDecimal(text)) return asNumber(Number(text), type);
  if (type !== 'timestamp' || !ISO_DATE.test(text)) return undefined;
  const time = instant(text.replace(' ', 'T'));
  return Number.isNaN(time) ? undefined : time;
};

/** Above this many values a hashed list is faster than a chain of comparisons. */
const LISTED = 16;

const anyOf = (expression: string, values: string[], type: 'DOUBLE' | 'VARCHAR'): Fragment => {
  if (values.length === 0) return never;
  if (values.length <= LISTED) return { sql: `${expression} IN (${values.map(() => `CAST(? AS ${type})`).join(', ')})`, params: values };
  return {
    sql: `${expression} IN (SELECT unnest(CAST(from_json(CAST(? AS VARCHAR), '["VARCHAR"]') AS ${type}[])))`,
    params: [JSON.stringify(values)],
  };
};

const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');

/** Whole words of any script: `\b` of RE2 knows ASCII letters only. */
const asWord = (pattern: string): string => `(?:^|[^\\p{L}\\p{M}\\p{N}_])(?:${pattern})(?:$|[^\\p{L}\\p{M}\\p{N}_])`;

const operators: Record<SelectionReadings['range-ends'], readonly [string, string]> = {
  both: ['>=', '<='],
  neither: ['>', '<'],
  lower: ['>=', '<'],
};

const largest: Record<Exclude<ColumnType, 'string'>, number> = { int32: 2 ** 31, float32: LARGEST_FLOAT32, timestamp: 8.64e15 };

const leaves: Leaves = {
  range({ field, range: [from, to] }, column, type, readings) {
    if (type === 'string') throw new SelectionError(`range on "${field}": the column holds text; use category or search`);
    if (readings['range-bounds'] === 'within-type' && [from, to].some((each) => Math.abs(each) > largest[type]))
      throw new SelectionError(`range on "${field}": a bound that ${type} cannot hold`);
    const [above, below] = operators[readings['range-ends']];
    const value = numeric[type](column);
    return {
      sql: `(${value} ${above} CAST(? AS DOUBLE) AND ${value} ${below} CAST(? AS DOUBLE))`,
      params: [double(bound(from, type, 'from')), double(bound(to, type, 'to'))],
    };
  },
  category({ field, values }, column, type, readings) {
    if (readings['category-values'] === 'strings' && values.some((value) => typeof value !== 'string'))
      throw new SelectionError(`category on "${field}": values must be strings`);
    if (type === 'string')
      return anyOf(
        column,
        values.map((value) => String(value).toWellFormed()),
        'VARCHAR',
      );
    const meant = readings['category-values'] === 'typed' ? values.filter((value) => typeof value === 'number') : values;
    const numbers = meant.map((value) => asNumber(value, type)).filter((value) => value !== undefined);
    return anyOf(numeric[type](column), numbers.map(double), 'DOUBLE');
  },
  search({ field, query, ignoreCase: caseless, regex, wordBoundary: asked }, column, type, readings) {
    const ignoreCase = caseless ?? true;
    const wordBoundary = asked || readings['search-match'] === 'words';
    if (type !== 'string') throw new SelectionError(`search on "${field}": the column holds ${type} values; use range or category`);
    const text = query.toWellFormed();
    if (!regex && (!wordBoundary || text === '')) {
      return {
        sql: ignoreCase ? `contains(lower(${column}), lower(CAST(? AS VARCHAR)))` : `contains(${column}, CAST(? AS VARCHAR))`,
        params: [text],
      };
    }
    const pattern = regex ? text : escapeRegex(text);
    return {
      sql: `regexp_matches(${column}, CAST(? AS VARCHAR), '${ignoreCase ? 'i' : 'c'}')`,
      params: [wordBoundary ? asWord(pattern) : pattern],
    };
  },
};

/** One filter on one identifier column → SQL that is null where the column is; polarity is the caller's. */
export const fragmentOf = (filter: Leaf, column: string, type: ColumnType, readings: SelectionReadings): Fragment =>
  (leaves[filter.method] as (filter: Leaf, column: string, type: ColumnType, readings: SelectionReadings) => Fragment)(
    filter,
    column,
    type,
    readings,
  );
