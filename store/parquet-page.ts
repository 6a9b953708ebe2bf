import { createRequire } from 'node:module';
import type { Field } from 'parquetjs-lite';

/** Texts as the format has them: each behind its length in bytes, 32 bits little-endian. */
export type EncodedTexts = { count: number; encoded: Buffer };

export const countOf = (texts: readonly string[] | EncodedTexts): number => ('encoded' in texts ? texts.count : texts.length);

/** Values of a column: one for each row, encoded already, or the same for all. Null only where the column is optional. */
export type ColumnValues = readonly (Value | null | undefined)[] | { all: Value | null } | EncodedTexts;

type Value = string | number | boolean;

/** The pages of a column: the values that repeat, where there are few, and the rows. */
export type Pages = { dictionary: Buffer | undefined; data: Buffer };

/** Indices into a dictionary are bytes. */
const mostDistinct = 256;

/**
 * All values of a column as one data page, by a dictionary where few values repeat. The library makes a buffer of every
 * value and keeps no dictionary; the ledger of three million rows is then mostly garbage collection.
 */
export function pagesOf(name: string, field: Field, values: ColumnValues, rows: number): Pages {
  if ('encoded' in values) return { dictionary: undefined, data: page('DATA_PAGE', 'PLAIN', rows, undefined, values.encoded) };
  const present = presentOf(values);
  if (!field.optional && ('all' in values ? values.all === null : present.length !== rows)) throw new Error(`a row has no ${name}`);
  const levels = field.optional ? levelsOf(values, rows) : undefined;
  // Other readers know no dictionary of bits.
  const distinct = field.type === 'BOOLEAN' ? undefined : distinctOf(present);
  if (distinct === undefined)
    return { dictionary: undefined, data: page('DATA_PAGE', 'PLAIN', rows, levels, encoders[field.type](present as never[])) };
  const indices = indicesOf(distinct, 'all' in values ? undefined : present, 'all' in values ? rows : present.length);
  return {
    dictionary: page(
      'DICTIONARY_PAGE',
      'PLAIN_DICTIONARY',
      distinct.size,
      undefined,
      encoders[field.type]([...distinct.keys()] as never[]),
    ),
    data: page('DATA_PAGE', 'PLAIN_DICTIONARY', rows, levels, indices),
  };
}

type Present = readonly Value[];

type Plain = Exclude<ColumnValues, EncodedTexts>;

const presentOf = (values: Plain): Present => {
  if ('all' in values) return values.all === null ? [] : [values.all];
  return values.filter((value) => value !== null && value !== undefined);
};

/** Values with their places in a dictionary; undefined where most rows have one of their own. */
function distinctOf(values: Present): Map<Value, number> | undefined {
  const distinct = new Map<Value, number>();
  for (const value of values) {
    if (distinct.has(value)) continue;
    if (distinct.size === mostDistinct) return undefined;
    distinct.set(value, distinct.size);
  }
  return distinct;
}

/** Width of an index in bits, then one run: the same index for all rows, or a byte for each. */
function indicesOf(distinct: ReadonlyMap<Value, number>, values: Present | undefined, rows: number): Buffer {
  if (values === undefined || distinct.size <= 1) return Buffer.from([8, ...varint(rows << 1), 0]);
  const groups = Math.ceil(rows / 8);
  const head = [8, ...varint((groups << 1) | 1)];
  const buffer = Buffer.alloc(head.length + groups * 8);
  buffer.set(head);
  values.forEach((value, at) => (buffer[head.length + at] = distinct.get(value)!));
  return buffer;
}

/** Which rows have a value, one bit each, behind its length: one run of bits, or one value for all. */
function levelsOf(values: Plain, rows: number): Buffer {
  let run: number[];
  if ('all' in values) run = [...varint(rows << 1), values.all === null ? 0 : 1];
  else {
    const groups = Math.ceil(rows / 8);
    run = varint((groups << 1) | 1);
    for (let group = 0; group < groups; group++) {
      let bits = 0;
      for (let bit = 0; bit < 8; bit++) if ((values[group * 8 + bit] ?? null) !== null) bits |= 1 << bit;
      run.push(bits);
    }
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(run.length);
  return Buffer.concat([length, Buffer.from(run)]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

const numbers =
  (width: number, write: (buffer: Buffer, value: number, at: number) => void) =>
  (values: readonly number[]): Buffer => {
    const buffer = Buffer.allocUnsafe(width * values.length);
    values.forEach((value, at) => write(buffer, value, at * width));
    return buffer;
  };

const encoders: Record<Field['type'], (values: readonly never[]) => Buffer> = {
  INT32: numbers(4, (buffer, value, at) => buffer.writeInt32LE(value, at)),
  // Beyond 2^53 the digits that JSON has of a number are not those of its bits.
  INT64: numbers(8, (buffer, value, at) => buffer.writeBigInt64LE(BigInt(String(value)), at)),
  DOUBLE: numbers(8, (buffer, value, at) => buffer.writeDoubleLE(value, at)),
  /** A bit each. */
  BOOLEAN: (values: readonly boolean[]) => {
    const buffer = Buffer.alloc(Math.ceil(values.length / 8));
    values.forEach((value, at) => (buffer[at >> 3]! |= Number(value) << (at & 7)));
    return buffer;
  },
  /** Each text behind its length. Memory outside of the heap is what makes the collector run, so it is measured first. */
  UTF8: (values: readonly string[]) => {
    const sizes = values.map((text) => Buffer.byteLength(text));
    const buffer = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + size, 0));
    let at = 0;
    values.forEach((text, each) => {
      const size = sizes[each]!;
      buffer.writeUInt32LE(size, at);
      buffer.write(text, at + 4, size, size === text.length ? 'latin1' : 'utf8');
      at += 4 + size;
    });
    return buffer;
  },
};

type Header = new () => object;
type Thrift = {
  PageHeader: Header;
  DataPageHeader: Header;
  DictionaryPageHeader: Header;
  PageType: Record<string, number>;
  Encoding: Record<string, number>;
};

const load = createRequire(import.meta.url);
let parts: { thrift: Thrift; serializeThrift: (value: unknown) => Buffer } | undefined;
const library = () =>
  (parts ??= {
    thrift: load('parquetjs-lite/gen-nodejs/parquet_types.js') as Thrift,
    serializeThrift: (load('parquetjs-lite/lib/util.js') as { serializeThrift: (value: unknown) => Buffer }).serializeThrift,
  });

function page(
  type: 'DATA_PAGE' | 'DICTIONARY_PAGE',
  encoding: 'PLAIN' | 'PLAIN_DICTIONARY',
  num_values: number,
  levels: Buffer | undefined,
  values: Buffer,
): Buffer {
  const { thrift, serializeThrift } = library();
  const size = (levels?.length ?? 0) + values.length;
  const header = Object.assign(new thrift.PageHeader(), {
    type: thrift.PageType[type],
    uncompressed_page_size: size,
    compressed_page_size: size,
  });
  const own = { num_values, encoding: thrift.Encoding[encoding] };
  const level = thrift.Encoding['RLE'];
  const more =
    type === 'DICTIONARY_PAGE'
      ? { dictionary_page_header: Object.assign(new thrift.DictionaryPageHeader(), own) }
      : {
          data_page_header: Object.assign(new thrift.DataPageHeader(), {
            ...own,
            definition_level_encoding: level,
            repetition_level_encoding: level,
          }),
        };
  return Buffer.concat([serializeThrift(Object.assign(header, more)), ...(levels ? [levels] : []), values]);
}

/** Number of an encoding in the format. */
export const encodingOf = (name: string): number => library().thrift.Encoding[name]!;
