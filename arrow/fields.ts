import { entries, field, tableAt } from './flatbuffer.ts';
import { damaged, refuseArrow } from './verdict.ts';

/** More fields than any table has; a few bytes can name the same field millions of times. */
const mostFields = 100_000;
const deepestField = 64;

/** What the table of a type holds, in the order of the format (`Schema.fbs`). */
type Part = 'bool' | 'i16' | 'i32' | 'i32s' | 'text';

/** The types of the format that are read, by their number; those without parts hold nothing. */
const types: Readonly<Record<number, { parts: readonly Part[] }>> = {
  1: { parts: [] },
  2: { parts: ['i32', 'bool'] },
  3: { parts: ['i16'] },
  4: { parts: [] },
  5: { parts: [] },
  6: { parts: [] },
  7: { parts: ['i32', 'i32', 'i32'] },
  8: { parts: ['i16'] },
  9: { parts: ['i16', 'i32'] },
  10: { parts: ['i16', 'text'] },
  11: { parts: ['i16'] },
  12: { parts: [] },
  13: { parts: [] },
  14: { parts: ['i16', 'i32s'] },
  15: { parts: ['i32'] },
  16: { parts: ['i32'] },
  17: { parts: ['bool'] },
  18: { parts: ['i16'] },
  19: { parts: [] },
  20: { parts: [] },
  21: { parts: [] },
  23: { parts: [] },
  24: { parts: [] },
};

const unsupported: Readonly<Record<number, string>> = { 22: 'RunEndEncoded', 25: 'ListView', 26: 'LargeListView' };
const integer = 2;
const integerBits = [0, 8, 16, 32, 64];

type Value = number | string | readonly Value[] | undefined;

const textAt = (view: DataView, start: number): string =>
  Buffer.from(view.buffer, view.byteOffset + start + 4, view.getUint32(start, true)).toString('utf8');

function text(view: DataView, table: number, index: number): string {
  const start = tableAt(view, table, index);
  if (start === undefined) return '';
  // The whole of it stands in the view, or this is a RangeError.
  view.getUint8(start + 3 + view.getUint32(start, true));
  return textAt(view, start);
}

const read: Readonly<Record<Part, (view: DataView, table: number, index: number) => Value>> = {
  bool: (view, table, index) => scalar(view, table, index, (place) => view.getUint8(place)),
  i16: (view, table, index) => scalar(view, table, index, (place) => view.getInt16(place, true)),
  i32: (view, table, index) => scalar(view, table, index, (place) => view.getInt32(place, true)),
  i32s: (view, table, index) => entries(view, table, index, 4).map((place) => view.getInt32(place, true)),
  text,
};

function scalar(view: DataView, table: number, index: number, get: (place: number) => number): number | undefined {
  const place = field(view, table, index);
  return place === undefined ? undefined : get(place);
}

function typeOf(view: DataView, table: number, name: string): Value {
  const kind = scalar(view, table, 2, (place) => view.getUint8(place)) ?? 0;
  if (kind === 0) return damaged(`column '${name}' has no type`);
  const holder = tableAt(view, table, 3);
  const parts = holder === undefined ? [] : (types[kind]?.parts ?? []).map((part, index) => read[part](view, holder, index));
  const bits = Number(parts[0] ?? 0);
  const wide = kind === integer && !integerBits.includes(bits) ? `Int${bits}` : undefined;
  const refused = unsupported[kind] ?? wide ?? (types[kind] ? undefined : `number ${kind}`);
  if (refused !== undefined)
    refuseArrow(`column '${name}' uses the Arrow type ${refused}, which is not supported; write the column as another type`);
  return [kind, ...parts];
}

function dictionaryOf(view: DataView, dictionary: number): Value {
  const indices = tableAt(view, dictionary, 1);
  return [
    scalar(view, dictionary, 0, (place) => Number(view.getBigInt64(place, true))),
    ...(indices === undefined ? [] : [read.i32(view, indices, 0), read.bool(view, indices, 1)]),
  ];
}

/**
 * Walks the fields of a schema before the reader does, which believes every length in it, and returns what they say in a form
 * that can be compared. Refuses types that the reader does not know, by the name of the column.
 */
export function describeFields(view: DataView, schema: number): Value {
  let left = mostFields;
  const tables = (table: number, index: number): number[] =>
    entries(view, table, index, 4).map((place) => place + view.getUint32(place, true));
  const walk = (fields: number[], depth: number, column: string | undefined): Value => {
    left -= fields.length;
    return fields.map((each) => {
      left -= tables(each, 6).length;
      if (left < 0 || depth > deepestField)
        refuseArrow(`has a schema of more than ${mostFields} fields or ${deepestField} levels, which is not supported`);
      const name = text(view, each, 0);
      const dictionary = tableAt(view, each, 4);
      return [
        name,
        read.bool(view, each, 1),
        typeOf(view, each, column ?? name),
        dictionary === undefined ? undefined : dictionaryOf(view, dictionary),
        walk(tables(each, 5), depth + 1, column ?? name),
      ];
    });
  };
  tables(schema, 2);
  return walk(tables(schema, 1), 0, undefined);
}
