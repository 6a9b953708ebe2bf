import {
  Bool,
  DateDay,
  Decimal,
  Field,
  Float32,
  Float64,
  Int32,
  Int64,
  List,
  makeData,
  TimestampMicrosecond,
  Utf8,
  type Data,
  type DataType,
} from 'apache-arrow';
import { dateDays, floating, numbersOf, scaled, timeMicros } from './values.ts';

/** A value as the server writes it; null: none. */
export type Text = string | null;

/** How a column is held: its Arrow type, and its values as data of that type. */
export type Carrier = { type: DataType; hold: (values: readonly Text[], refuse: Refuse) => Data };

/** Fails for the value of a row of the batch. */
export type Refuse = (row: number) => never;

type Validity = { length: number; nullCount: number; nullBitmap: Uint8Array };

function validity(values: readonly Text[]): Validity {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 64) * 8);
  let nullCount = 0;
  values.forEach((value, at) => {
    if (value === null) nullCount++;
    else nullBitmap[at >> 3]! |= 1 << (at & 7);
  });
  return { length: values.length, nullCount, nullBitmap };
}

type Numbers = { [at: number]: number } | { [at: number]: bigint };

/** A column of numbers of one width. */
function numbers<V extends number | bigint>(
  type: DataType,
  make: (length: number) => { [at: number]: V } & Numbers,
  read: (text: string) => V | undefined,
): Carrier {
  return {
    type,
    hold(values, refuse) {
      const data = make(values.length);
      values.forEach((value, at) => {
        if (value !== null) data[at] = read(value) ?? refuse(at);
      });
      return makeData({ type, ...validity(values), data } as never);
    },
  };
}

const int32 = numbers(new Int32(), (length) => new Int32Array(length), Number);
const int64 = numbers(new Int64(), (length) => new BigInt64Array(length), BigInt);
const float32 = numbers(new Float32(), (length) => new Float32Array(length), floating);
const float64 = numbers(new Float64(), (length) => new Float64Array(length), floating);
const date = numbers(new DateDay(), (length) => new Int32Array(length), dateDays);
const timestamp = numbers(new TimestampMicrosecond(), (length) => new BigInt64Array(length), timeMicros);
const timestampUtc = numbers(new TimestampMicrosecond('UTC'), (length) => new BigInt64Array(length), timeMicros);

const boolean: Carrier = {
  type: new Bool(),
  hold(values) {
    const data = new Uint8Array(Math.ceil(values.length / 64) * 8);
    values.forEach((value, at) => {
      if (value === 't') data[at >> 3]! |= 1 << (at & 7);
    });
    return makeData({ type: new Bool(), ...validity(values), data });
  },
};

const text: Carrier = {
  type: new Utf8(),
  hold(values) {
    const valueOffsets = new Int32Array(values.length + 1);
    const parts = values.map((value, at) => {
      const bytes = Buffer.from(value ?? '');
      valueOffsets[at + 1] = valueOffsets[at]! + bytes.byteLength;
      return bytes;
    });
    return makeData({ type: new Utf8(), ...validity(values), valueOffsets, data: Buffer.concat(parts) });
  },
};

function decimal(precision: number, scale: number): Carrier {
  const type = new Decimal(scale, precision, 128);
  return {
    type,
    hold(values, refuse) {
      const words = new BigInt64Array(values.length * 2);
      values.forEach((value, at) => {
        if (value === null) return;
        const digits = scaled(value, scale) ?? refuse(at);
        words[at * 2] = BigInt.asIntN(64, digits);
        words[at * 2 + 1] = BigInt.asIntN(64, digits >> 64n);
      });
      return makeData({ type, ...validity(values), data: new Uint32Array(words.buffer) });
    },
  };
}

function list(single: boolean): Carrier {
  const inner = single ? new Float32() : new Float64();
  const type = new List(new Field('item', inner, true));
  return {
    type,
    hold(values, refuse) {
      const valueOffsets = new Int32Array(values.length + 1);
      const all: number[] = [];
      values.forEach((value, at) => {
        if (value !== null) for (const each of numbersOf(value) ?? refuse(at)) all.push(each);
        valueOffsets[at + 1] = all.length;
      });
      const data = single ? Float32Array.from(all) : Float64Array.from(all);
      const child = makeData({ type: inner, length: all.length, nullCount: 0, data } as never);
      return makeData({ type, ...validity(values), valueOffsets, child } as never);
    },
  };
}

/** Carriers of types by their numbers (OID), which are those of every server. */
const carriers: Readonly<Record<number, Carrier>> = {
  16: boolean,
  21: int32,
  23: int32,
  20: int64,
  26: int64,
  700: float32,
  701: float64,
  1021: list(true),
  1022: list(false),
  1082: date,
  1114: timestamp,
  1184: timestampUtc,
  // char, name, text, json, xml, cidr, macaddr8, macaddr, inet, bpchar, varchar, time, uuid, jsonb
  ...Object.fromEntries([18, 19, 25, 114, 142, 650, 774, 829, 869, 1042, 1043, 1083, 2950, 3802].map((oid) => [oid, text])),
};

const numeric = 1700;

/** A column as a server describes it; `modifier`: what its type says in brackets. */
export type Described = { name: string; oid: number; modifier: number };

/** What else a server knows of a type: its name, and its category (`pg_type.typcategory`). */
export type KnownType = { name: string; category: string };

/** How a column is held; undefined where no type of a table here holds all its values as they are. */
export function carrierOf({ oid, modifier }: Described, known?: KnownType): Carrier | undefined {
  if (oid === numeric) {
    // No digits are said: a value may have any number of them.
    if (modifier < 4) return undefined;
    const [precision, scale] = [(modifier - 4) >> 16, (modifier - 4) & 0x7ff];
    return precision <= 38 && scale <= precision ? decimal(precision, scale) : undefined;
  }
  // Kinds that a database has made of its own: an enum, or a text such as citext.
  return carriers[oid] ?? (known?.category === 'E' || known?.category === 'S' ? text : undefined);
}

/** What a query may write instead of a column that cannot be held. */
export function insteadOf({ name, oid }: Described, known?: KnownType): string {
  const column = /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
  if (oid === numeric) return `${column}::numeric(18, 2), ${column}::float8 or ${column}::text`;
  if (oid === 17) return `encode(${column}, 'hex')`;
  if (known?.name === 'vector' || known?.name === 'halfvec') return `${column}::real[]`;
  if (known?.category === 'A')
    return /^(?:numeric|smallint|integer|bigint)/.test(known.name)
      ? `${column}::float8[] or to_json(${column})::text`
      : `to_json(${column})::text`;
  if (oid === 1186) return `extract(epoch from ${column})::float8 or ${column}::text`;
  return `${column}::text`;
}
