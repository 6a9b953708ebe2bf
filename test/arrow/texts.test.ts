import { Dictionary, Int32, makeData, Utf8, Vector, vectorFromArray } from 'apache-arrow';
import { expect, test, vi } from 'vitest';
import { textsIn } from '../../arrow/texts.ts';

const type = new Dictionary(new Utf8(), new Int32());
const batch = (dictionary: Vector<Utf8>, keys: readonly number[]) =>
  makeData({ type, length: keys.length, nullCount: 0, data: Int32Array.from(keys), dictionary });

test('texts of a dictionary in pieces are those of all of them, in a part of the rows too', () => {
  const mark = '\ufeff';
  const dictionary = vectorFromArray(['a', `${mark}b`], new Utf8()).concat(vectorFromArray(['c', null], new Utf8()));
  const column = new Vector([batch(dictionary, [2, 1, 0]), batch(dictionary, [3, 2])]);
  expect(textsIn(column)).toEqual(['c', `${mark}b`, 'a', null, 'c']);
  expect(textsIn(column.slice(1, 4))).toEqual([`${mark}b`, 'a', null]);
});

test('of a dictionary that many batches share those words alone are read that the rows name', () => {
  const dictionary = vectorFromArray(
    Array.from({ length: 1_000 }, (_, at) => `word ${at}`),
    new Utf8(),
  );
  const column = new Vector(Array.from({ length: 10 }, () => batch(dictionary, [7, 8, 7])));
  using read = vi.spyOn(Buffer.prototype, 'toString');
  expect(textsIn(column)?.slice(0, 3)).toEqual(['word 7', 'word 8', 'word 7']);
  expect(read.mock.calls).toHaveLength(20);
});
