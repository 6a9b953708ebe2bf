import { Dictionary, Int32, Table, Utf8, tableToIPC, vectorFromArray } from 'apache-arrow';
import { expect, test } from 'vitest';
import { tileIds, tileKeys } from '../../child/tiles.ts';

const ids = ['a', '\uFEFFa', 'ä'];

test.each([
  ['texts', new Utf8()],
  ['a dictionary', new Dictionary(new Utf8(), new Int32())],
])('ids of a tile come to the letter, as %s', (_, type) => {
  expect(tileIds(tableToIPC(new Table({ id: vectorFromArray(ids, type) }), 'file'), 'id')).toEqual(ids);
});

test('a tile without its ids, or with something else in their place, is refused', () => {
  const numbers = tableToIPC(new Table({ key: vectorFromArray([1, 2], new Int32()) }), 'file');
  const gaps = tableToIPC(new Table({ key: vectorFromArray(['0/0/0', null], new Utf8()) }), 'file');
  expect(() => tileIds(numbers, 'id')).toThrow("has no column 'id'");
  for (const manifest of [numbers, gaps]) expect(() => tileKeys(manifest)).toThrow("has something else in its column 'key'");
});
