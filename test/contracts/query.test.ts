import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeQuery, encodeQuery, type QueryTypes } from '../../contracts/query.ts';

const types = {
  name: 'text',
  limit: 'number',
  mine: 'boolean',
  qids: 'list',
  include: 'commas',
  tiles: 'json',
} as const satisfies QueryTypes;

const overTheWire = (fields: Record<string, unknown>): Record<string, unknown> =>
  decodeQuery(types, new URLSearchParams(new URLSearchParams(encodeQuery(types, fields)).toString()));

/** URLs carry Unicode scalar values: half a surrogate pair becomes U+FFFD. */
const text = fc.string({ unit: 'grapheme' });

test('what the client writes in a query is what the service reads', () => {
  fc.assert(
    fc.property(
      fc.record(
        {
          name: text,
          limit: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
          mine: fc.boolean(),
          qids: fc.array(text, { minLength: 1 }),
          include: fc.array(
            text.filter((value) => !value.includes(',')),
            { minLength: 2 },
          ),
          tiles: fc
            .jsonValue()
            .filter((value) => value !== null && !JSON.stringify(value).includes('__proto__'))
            .map((value) => JSON.parse(JSON.stringify(value)) as unknown),
        },
        { requiredKeys: [] },
      ),
      (fields) => {
        expect(overTheWire(fields)).toEqual(fields);
      },
    ),
  );
});

test('what is not written as its type says stays text for the schema to refuse', () => {
  const query = new URLSearchParams('limit=10x&mine=yes&tiles=%7B&limit2=1');
  expect(decodeQuery(types, query)).toEqual({ limit: '10x', mine: 'yes', tiles: '{' });
  for (const value of ['', ' ', '0x10', 'Infinity', 'NaN', '1_0', '1e', '--1'])
    expect(decodeQuery(types, new URLSearchParams({ limit: value }))).toEqual({ limit: value });
});

test('a truth value is one as clients of other languages write it', () => {
  const read = ['True', 'TRUE', 'False', '1', '0'].map((mine) => decodeQuery(types, new URLSearchParams({ mine }))['mine']);
  expect(read).toEqual([true, true, false, '1', '0']);
});

test('null and undefined are not sent, an empty list neither', () => {
  expect(encodeQuery(types, { name: null, limit: undefined, qids: [], mine: false })).toEqual([['mine', 'false']]);
});

test('a member with a comma is refused, not cut', () => {
  expect(() => encodeQuery(types, { include: ['a,b'] })).toThrow("cannot hold 'a,b'");
});
