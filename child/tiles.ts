import { tableFromIPC, type Table, type Vector } from 'apache-arrow';
import { memoryBytes } from '../arrow/bytes.ts';
import { checkBatch } from '../arrow/check.ts';
import { refuseBigEndian, walkArrow } from '../arrow/schema.ts';
import { textsIn } from '../arrow/texts.ts';
import { arrowVerdict, refuseArrow } from '../arrow/verdict.ts';

// Files of a map's tiles, as public clients read them. Each fails with `BadInput` where the bytes are not that.

function tableOf(bytes: Uint8Array): Table {
  try {
    refuseBigEndian(walkArrow(memoryBytes(bytes), 'arrow-file'));
    const table = tableFromIPC(bytes);
    table.batches.forEach(checkBatch);
    return table;
  } catch (error) {
    throw arrowVerdict(error);
  }
}

/** A column without nulls, whose values are all of one type. */
function valuesOf<T>(column: Iterable<unknown> | null, name: string, is: (value: unknown) => value is T): T[] {
  if (!column) return refuseArrow(`has no column '${name}'`);
  return Array.from(column, (value: unknown) => (is(value) ? value : refuseArrow(`has something else in its column '${name}'`)));
}

function textsOf(column: Vector | null, name: string): string[] {
  const found = column && textsIn(column);
  return valuesOf(found === undefined ? column : found, name, isText);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isBit = (value: unknown): value is boolean => typeof value === 'boolean';

/** The tiles that a manifest names, such as `2/0/3`. */
export const tileKeys = (manifest: Uint8Array): string[] => textsOf(tableOf(manifest).getChild('key'), 'key');

/** Which points of a tile have a tag, in their order; or, where all are alike, whether they have it. */
export function tagBits(sidecar: Uint8Array): boolean[] | boolean {
  const table = tableOf(sidecar);
  const all = table.getChild('all_set');
  if (!all) return valuesOf(table.getChild('bitmask'), 'bitmask', isBit);
  const [bit, ...more] = valuesOf(all, 'all_set', isBit);
  return bit === undefined || more.length > 0 ? refuseArrow("has not one row in its column 'all_set'") : bit;
}

/** The ids of the points of a tile, in their order. */
export const tileIds = (sidecar: Uint8Array, idField: string): string[] => textsOf(tableOf(sidecar).getChild(idField), idField);
