import { DataType, type Data, type Vector } from 'apache-arrow';
import { textAt } from './bytes-at.ts';

/** A text by its number among those of all pieces of a dictionary; undefined for a dictionary of other values. */
function wordsOf({ data }: Vector): ((key: number) => string | null) | undefined {
  const pieces: { length: number; at: (row: number) => string | null }[] = [];
  for (const piece of data) {
    const at = textsOf(piece);
    if (at === undefined) return undefined;
    pieces.push({ length: piece.length, at });
  }
  return (key) => {
    let row = key;
    for (const { length, at } of pieces) {
      if (row < length) return at(row);
      row -= length;
    }
    return null;
  };
}

/** The text of a row, null where it has none; undefined for data that are no texts. */
function textsOf(data: Data): ((row: number) => string | null) | undefined {
  const { type } = data;
  if (DataType.isDictionary(type)) {
    const word = data.dictionary && wordsOf(data.dictionary);
    const keys = data.values as ArrayLike<number | bigint>;
    // Those that the rows name alone: many batches may share a dictionary that is longer than each of them.
    const known = new Map<number, string | null>();
    return (
      word &&
      ((row) => {
        if (!data.getValid(row)) return null;
        const key = Number(keys[row]);
        const found = known.get(key) ?? word(key);
        known.set(key, found);
        return found;
      })
    );
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
