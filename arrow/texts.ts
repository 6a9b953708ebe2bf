import { DataType, type Data, type Vector } from 'apache-arrow';
import { textAt } from './bytes-at.ts';

/** The text of a row, null where it has none; undefined for data that are no texts. */
function textsOf(data: Data): ((row: number) => string | null) | undefined {
  const { type } = data;
  if (DataType.isDictionary(type)) {
    const words = data.dictionary && textsIn(data.dictionary);
    const keys = data.values as ArrayLike<number | bigint>;
    return words && ((row) => (data.getValid(row) ? (words[Number(keys[row])] ?? null) : null));
  }
  if (!DataType.isUtf8(type) && !DataType.isLargeUtf8(type) && !DataType.isUtf8View(type)) return undefined;
  const at = textAt(data);
  return data.nullCount === 0 ? at : (row) => (data.getValid(row) ? at(row) : null);
}

/**
 * The texts of a vector to the letter, null where a row has none; undefined for a vector of other values. The library takes a byte order
 * mark off each text that it hands over.
 */
export function textsIn(vector: Vector): (string | null)[] | undefined {
  const found: (string | null)[] = [];
  for (const data of vector.data) {
    const at = textsOf(data);
    if (at === undefined) return undefined;
    for (let row = 0; row < data.length; row += 1) found.push(at(row));
  }
  return found;
}
