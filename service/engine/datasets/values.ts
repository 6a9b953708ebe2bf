import { isAscii } from 'node:buffer';
import { DataType, Precision, TimeUnit } from 'apache-arrow';
import type { Data, Vector } from 'apache-arrow';
import { textsIn } from '../../../arrow/texts.ts';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';
import { longestId } from '../../../contracts/maps/unique-id.ts';
import { characters } from '../../../text/characters.ts';
import { isDecimal } from '../../../text/decimal.ts';
import { invalid } from '../../core/errors.ts';
import type { Numbers } from './chunks.ts';
import type { StoredColumn } from './schema.ts';

/** Values of one column as its dataset stores them: timestamps as epoch milliseconds, vectors flat. */
export type Values =
  | { kind: 'numbers'; values: Numbers; nulls: number[] }
  | { kind: 'text'; values: string[] }
  | { kind: 'vectors'; values: Float32Array };

const number = (value: unknown): number | null => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value === '' || value === 'null' ? null : isDecimal(value.trim()) ? Number(value) : Number.NaN;
  return Number(value);
};

/** What a vector of a text, number or time column yields. */
type Scalar = string | number | bigint | Date | null | undefined;

/** The value of a row; 422 for a time of more milliseconds than a number holds, which the library throws at. */
const valueAt = (name: string, vector: Vector, row: number): Scalar => {
  try {
    return vector.get(row) as Scalar;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid(name, `row ${row + 1}: the time does not fit timestamp`);
  }
};

/** null and the empty text become the text `null` (table rules). */
const text = (value: Scalar): string => (value === null || value === undefined || value === '' ? 'null' : String(value).toWellFormed());

const convert: Record<'int32' | 'float32' | 'timestamp', (value: number) => number> = {
  int32: (value) => Math.trunc(value),
  float32: (value) => Math.fround(value),
  timestamp: (value) => Math.trunc(value),
};

const bounds = {
  int32: [-2_147_483_648, 2_147_483_647],
  timestamp: [-8.64e15, 8.64e15],
  float32: [-Number.MAX_VALUE, Number.MAX_VALUE],
} as const;
const arrays = { int32: Int32Array, float32: Float32Array, timestamp: Float64Array };

const isNumber = (column: StoredColumn): column is StoredColumn & { type: keyof typeof convert } =>
  column.type === 'int32' || column.type === 'float32' || column.type === 'timestamp';

/** Numbers of the very type of the column are taken as they lie in memory. */
const asTheyAre = (type: keyof typeof convert, vector: Vector, rows: number): Numbers | undefined => {
  if (vector.nullCount > 0 || vector.data.length !== 1) return undefined;
  const of: DataType = vector.type;
  const values: unknown = (vector.data[0] as Data).values;
  if (type === 'int32' && DataType.isInt(of) && values instanceof Int32Array) return values.subarray(0, rows);
  if (type === 'float32' && DataType.isFloat(of) && values instanceof Float32Array) {
    const numbers = values.subarray(0, rows);
    return numbers.every((value) => Number.isFinite(value)) ? numbers : undefined;
  }
  if (type !== 'timestamp' || !DataType.isTimestamp(of) || of.unit !== TimeUnit.MILLISECOND || !(values instanceof BigInt64Array))
    return undefined;
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const numbers = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const value = halves[row * 2 + 1]! * 2 ** 32 + (halves[row * 2]! >>> 0);
    if (Math.abs(value) > bounds.timestamp[1]) return undefined;
    numbers[row] = value;
  }
  return numbers;
};

const numbers = ({ name, type }: StoredColumn & { type: keyof typeof convert }, vector: Vector, rows: number): Values => {
  const same = asTheyAre(type, vector, rows);
  if (same) return { kind: 'numbers', values: same, nulls: [] };
  const into = convert[type];
  const [least, most] = bounds[type];
  const values = new arrays[type](rows);
  const nulls: number[] = [];
  for (let row = 0; row < rows; row += 1) {
    const raw = valueAt(name, vector, row);
    const value = number(raw);
    if (value === null) {
      nulls.push(row);
      continue;
    }
    if (Number.isNaN(value))
      throw invalid(
        name,
        `row ${row + 1}: ${typeof raw === 'string' ? JSON.stringify(raw) : 'NaN'} is not ${type}: send null where there is no value`,
      );
    const kept = into(value);
    // An answer in JSON would say null for what is not finite.
    if (value < least || value > most || !Number.isFinite(kept)) throw invalid(name, `row ${row + 1}: ${value} does not fit ${type}`);
    values[row] = kept;
  }
  return { kind: 'numbers', values, nulls };
};

/** Floats of full or half width are taken as they lie in memory, row after row; all else number by number. */
const flatFloats = (vector: Vector, rows: number, dimensions: number): Float32Array | undefined => {
  if (vector.nullCount > 0 || vector.data.length !== 1) return undefined;
  const { offset, children } = vector.data[0] as Data;
  const child = children[0] as Data | undefined;
  if (!child || !DataType.isFloat(child.type) || child.nullCount > 0 || offset !== 0) return undefined;
  const count = rows * dimensions;
  if ((child.values as Float32Array).length < count) return undefined;
  if (child.type.precision === Precision.SINGLE) return (child.values as Float32Array).subarray(0, count);
  if (child.type.precision !== Precision.HALF) return undefined;
  const bits = child.values as Uint16Array;
  return new Float32Array(new Float16Array(bits.buffer, bits.byteOffset, count));
};

const vectors = ({ name, dimensions }: StoredColumn, vector: Vector, rows: number): Values => {
  const width = dimensions!;
  const refuse = (row: number): never => {
    throw invalid(name, `row ${row + 1} holds NaN, infinity, null or a number beyond float32`);
  };
  const same = flatFloats(vector, rows, width);
  if (same) {
    for (let at = 0; at < same.length; at += 1) if (!Number.isFinite(same[at]!)) refuse(Math.floor(at / width));
    return { kind: 'vectors', values: same };
  }
  const values = new Float32Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    const item = vector.get(row) as Iterable<number> | null;
    if (item === null) throw invalid(name, `row ${row + 1} is null; every row needs its vector`);
    let at = row * width;
    for (const value of item) {
      values[at] = value;
      if (!Number.isFinite(values[at])) refuse(row);
      at += 1;
    }
  }
  return { kind: 'vectors', values };
};

/** Texts of a vector; those of ASCII bytes in one piece are cut from one decoded string. */
const texts = <T>(name: string, vector: Vector, rows: number, of: (value: Scalar, row: number) => T): T[] => {
  const data = vector.data[0] as Data | undefined;
  if (data && vector.data.length === 1 && DataType.isUtf8(vector.type) && vector.nullCount === 0) {
    const offsets = data.valueOffsets as Int32Array;
    const bytes = data.values as Uint8Array;
    const first = offsets[0]!;
    const used = bytes.subarray(first, offsets[rows]);
    if (isAscii(used)) {
      const all = Buffer.from(used.buffer, used.byteOffset, used.byteLength).toString('latin1');
      return Array.from({ length: rows }, (_, row) => of(all.slice(offsets[row]! - first, offsets[row + 1]! - first), row));
    }
  }
  const found = textsIn(vector);
  return Array.from({ length: rows }, (_, row) => of(found ? found[row] : valueAt(name, vector, row), row));
};

/** A column of a shard, cast to the dataset's type; throws 422 naming column and row. */
export const valuesOf = (column: StoredColumn, vector: Vector, rows: number): Values => {
  if (column.type === 'vector') return vectors(column, vector, rows);
  if (isNumber(column)) return numbers(column, vector, rows);
  return { kind: 'text', values: texts(column.name, vector, rows, text) };
};

const lengths: Record<ReadingOf<'id-length'>, (id: string) => number> = {
  characters,
  bytes: (id) => Buffer.byteLength(id),
};

/** Ids of a shard as text; 422 for an empty or a long one, 422 where one occurs twice. */
export const idsOf = (name: string, vector: Vector, rows: number, counted: ReadingOf<'id-length'>): string[] => {
  const seen = new Set<string>();
  return texts(name, vector, rows, (value, row) => {
    if (value === null || value === undefined || value === '') throw invalid(name, `row ${row + 1}: the unique id is empty`);
    const id = String(value).toWellFormed();
    const length = lengths[counted](id);
    if (length > longestId) throw invalid(name, `row ${row + 1}: the unique id has ${length} ${counted}, at most ${longestId} are allowed`);
    if (seen.has(id)) throw invalid(name, `row ${row + 1}: the unique id ${JSON.stringify(id)} occurs twice in the shard`);
    seen.add(id);
    return id;
  });
};

/** Some rows of a column, in the order given. */
export const pickRows = (column: StoredColumn, values: Values, rows: readonly number[]): Values => {
  if (values.kind === 'text') return { kind: 'text', values: rows.map((row) => values.values[row]!) };
  if (values.kind === 'numbers') {
    const empty = new Set(values.nulls);
    const picked = new (values.values.constructor as Float64ArrayConstructor)(rows.length);
    for (const [at, row] of rows.entries()) picked[at] = values.values[row]!;
    return { kind: 'numbers', values: picked, nulls: [...rows.keys()].filter((at) => empty.has(rows[at]!)) };
  }
  const width = column.dimensions!;
  const picked = new Float32Array(rows.length * width);
  for (const [at, row] of rows.entries()) picked.set(values.values.subarray(row * width, (row + 1) * width), at * width);
  return { kind: 'vectors', values: picked };
};
