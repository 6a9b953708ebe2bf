import { damaged } from './verdict.ts';

/** The root table of a flatbuffer. */
export const rootOf = (view: DataView): number => view.getUint32(0, true);

/** Place of a field of a flatbuffer table, undefined where the field is absent. */
export function field(view: DataView, table: number, index: number): number | undefined {
  const vtable = table - view.getInt32(table, true);
  const slot = 4 + index * 2;
  const offset = slot < view.getUint16(vtable, true) ? view.getUint16(vtable + slot, true) : 0;
  return offset === 0 ? undefined : table + offset;
}

/** The table that a field leads to. */
export function tableAt(view: DataView, table: number, index: number): number | undefined {
  const place = field(view, table, index);
  return place === undefined ? undefined : place + view.getUint32(place, true);
}

/** Places of the entries of a list, `width` bytes each: all of them stand in the view, whatever the list says of its length. */
export function entries(view: DataView, table: number, index: number, width: number): number[] {
  const start = tableAt(view, table, index);
  if (start === undefined) return [];
  const count = view.getUint32(start, true);
  if (start + 4 + count * width > view.byteLength) return damaged('a list is longer than what holds it');
  return Array.from({ length: count }, (_, at) => start + 4 + at * width);
}

export const int64 = (view: DataView, place: number | undefined): number =>
  place === undefined ? 0 : Number(view.getBigInt64(place, true));
