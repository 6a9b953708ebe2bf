import type { Vector } from 'apache-arrow';
import { invalid } from '../errors.ts';
import type { Column } from './schema.ts';

/** Values of one column as its dataset stores them: timestamps as epoch milliseconds, vectors flat. */
export type Values = (number | null)[] | string[] | Float32Array;

const number = (value: unknown): number | null => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value === '' || value === 'null' ? null : Number(value);
  return Number(value);
};

/** What a vector of a text, number or time column yields. */
type Scalar = string | number | bigint | Date | null | undefined;

/** null and the empty text become the text `null` (table rules). */
const text = (value: Scalar): string => (value === null || value === undefined || value === '' ? 'null' : String(value).toWellFormed());

const convert: Record<'int32' | 'float32' | 'timestamp', (value: number) => number> = {
  int32: (value) => Math.trunc(value),
  float32: (value) => Math.fround(value),
  timestamp: (value) => Math.trunc(value),
};

const bounds = { int32: 2_147_483_647, timestamp: 8.64e15, float32: Number.POSITIVE_INFINITY };

const numbers = ({ name, type }: Column, vector: Vector, rows: number): (number | null)[] => {
  const into = convert[type as keyof typeof convert];
  const bound = bounds[type as keyof typeof bounds];
  const values: (number | null)[] = Array.from({ length: rows });
  for (let row = 0; row < rows; row += 1) {
    const raw: unknown = vector.get(row);
    const value = number(raw);
    if (value === null || (Number.isNaN(value) && type !== 'float32')) {
      if (value !== null) throw invalid(name, `row ${row + 1}: ${JSON.stringify(raw)} is not ${type}`);
      values[row] = null;
      continue;
    }
    if (typeof raw === 'string' && Number.isNaN(value)) throw invalid(name, `row ${row + 1}: ${JSON.stringify(raw)} is not ${type}`);
    if (Math.abs(value) > bound) throw invalid(name, `row ${row + 1}: ${value} does not fit ${type}`);
    values[row] = into(value);
  }
  return values;
};

const vectors = ({ name, dimensions }: Column, vector: Vector, rows: number): Float32Array => {
  const values = new Float32Array(rows * dimensions!);
  for (let row = 0; row < rows; row += 1) {
    const item = vector.get(row) as Iterable<number> | null;
    if (item === null) throw invalid(name, `row ${row + 1} is null; every row needs its vector`);
    let at = row * dimensions!;
    for (const value of item) {
      if (!Number.isFinite(value)) throw invalid(name, `row ${row + 1} holds NaN, infinity or null`);
      values[at] = value;
      at += 1;
    }
  }
  return values;
};

/** A column of a shard, cast to the dataset's type; throws 422 naming column and row. */
export const valuesOf = (column: Column, vector: Vector, rows: number): Values => {
  if (column.type === 'vector') return vectors(column, vector, rows);
  if (column.type !== 'string') return numbers(column, vector, rows);
  return Array.from({ length: rows }, (_, row) => text(vector.get(row) as Scalar));
};

const MAX_ID_CHARACTERS = 36;

/** Ids of a shard as text; 422 for an empty or a long one, 422 where one occurs twice. */
export const idsOf = (name: string, vector: Vector, rows: number): string[] => {
  const seen = new Set<string>();
  return Array.from({ length: rows }, (_, row) => {
    const value = vector.get(row) as Scalar;
    if (value === null || value === undefined || value === '') throw invalid(name, `row ${row + 1}: the unique id is empty`);
    const id = String(value).toWellFormed();
    if (id.length > MAX_ID_CHARACTERS)
      throw invalid(name, `row ${row + 1}: the unique id has ${id.length} characters, at most ${MAX_ID_CHARACTERS} are allowed`);
    if (seen.has(id)) throw invalid(name, `row ${row + 1}: the unique id ${JSON.stringify(id)} occurs twice in the shard`);
    seen.add(id);
    return id;
  });
};
