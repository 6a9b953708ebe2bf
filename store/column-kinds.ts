import type { Field } from 'parquetjs-lite';
import type { Json } from '../text/json.ts';

/** What the values of a column are: of one kind, or of several, which are JSON as text. */
export type ColumnKind = 'boolean' | 'whole' | 'number' | 'text' | 'json';

/** Whole numbers of 64 bits. */
const wholeBelow = 2 ** 63;

/** The kind of a value; undefined of none, which every column has room for. */
export function kindOf(value: Json | undefined): ColumnKind | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'number') return 'json';
  return Number.isInteger(value) && Math.abs(value) < wholeBelow ? 'whole' : 'number';
}

/** The kind of a column that has values of both. */
export function commonKind(one: ColumnKind | undefined, other: ColumnKind | undefined): ColumnKind | undefined {
  if (one === other || other === undefined) return one;
  if (one === undefined) return other;
  const isNumber = [one, other].every((kind) => kind === 'whole' || kind === 'number');
  return isNumber ? 'number' : 'json';
}

const types = { boolean: 'BOOLEAN', whole: 'INT64', number: 'DOUBLE', text: 'UTF8', json: 'UTF8' } as const;

/** The column of a file for values of a kind. One that has none is of truth values. */
export const fieldOf = (kind: ColumnKind = 'boolean'): Field => ({ type: types[kind], optional: true });

/** A value as the column has it. */
export function columnValue(kind: ColumnKind | undefined, value: Json | undefined): string | number | boolean | null {
  if (value === undefined) return null;
  return kind === 'json' ? JSON.stringify(value) : (value as string | number | boolean | null);
}
