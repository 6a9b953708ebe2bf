import { asNumber, type NumberType } from './points/to-range.ts';

/** A value that a condition compares a column with, and where it stands. */
type Compared = { value: unknown; path: (string | number)[] };

/** A column that a step names, where that stands, and what it asks of it: `any` is of every type. */
export type ColumnUse = { column: string; path: (string | number)[]; ask: Ask | 'any'; values?: Compared[] };

type Refusal = { what: string; remedy: string };

/** What is asked of a column of a type: that it is none for this, or which values are none. */
type Rule = Refusal | ((value: unknown) => Refusal | undefined) | 'every value';

const text: Refusal = { what: 'holds text', remedy: 'take category or search' };
const noText = (remedy: string): Refusal => ({ what: 'holds no text', remedy });
const vectors: Refusal = { what: 'holds vectors', remedy: 'name another column; points.search finds the nearest of a vector' };

const held: Record<NumberType, string> = { int32: 'whole numbers', float32: 'numbers', timestamp: 'dates' };
const instead: Record<NumberType, string> = {
  int32: 'write a whole number from -2147483648 to 2147483647',
  float32: 'write a number',
  timestamp: 'write a date, 2024-01-31, or epoch milliseconds',
};

const shown = (value: unknown): string => (typeof value === 'string' ? `'${value.slice(0, 40)}'` : String(value));

const none = (value: unknown, type: NumberType): Refusal => ({
  what: `holds ${held[type]}, and ${shown(value)} is none of them`,
  remedy: instead[type],
});

/** A value that the column may hold. */
const member =
  (type: NumberType) =>
  (value: unknown): Refusal | undefined =>
    asNumber(value, type) === undefined ? none(value, type) : undefined;

/** An end may lie between the values of a column, and beyond them; dates are ends of dates alone. */
const end =
  (type: NumberType) =>
  (value: unknown): Refusal | undefined =>
    typeof value === 'string' && type !== 'timestamp' ? none(value, type) : undefined;

/** By what is asked, and by the types of a dataset's columns. */
const rules = {
  range: { string: text, int32: end('int32'), float32: end('float32'), timestamp: end('timestamp'), vector: vectors },
  category: {
    string: 'every value',
    int32: member('int32'),
    float32: member('float32'),
    timestamp: member('timestamp'),
    vector: vectors,
  },
  search: {
    string: 'every value',
    int32: noText('take range or category'),
    float32: noText('take range or category'),
    timestamp: noText('take range or category'),
    vector: vectors,
  },
  embed: {
    string: 'every value',
    int32: noText('embed a column of text, or make one under columns'),
    float32: noText('embed a column of text, or make one under columns'),
    timestamp: noText('embed a column of text, or make one under columns'),
    vector: 'every value',
  },
} satisfies Record<string, Record<NumberType | 'string' | 'vector', Rule>>;

type Ask = keyof typeof rules;

/** What a step asks of a column of this type in vain, and the place of the value where it is one; a type that is not known refuses nothing. */
export function misuseOf(use: ColumnUse, type: string | undefined): (Refusal & { path: (string | number)[] }) | undefined {
  if (use.ask === 'any' || type === undefined) return undefined;
  const rule = (rules[use.ask] as Record<string, Rule>)[type];
  if (rule === undefined || rule === 'every value') return undefined;
  if (typeof rule !== 'function') return { ...rule, path: use.path };
  for (const { value, path } of use.values ?? []) {
    const refusal = rule(value);
    if (refusal) return { ...refusal, path };
  }
  return undefined;
}
