import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createJsonCheck } from '../../child/inside/formats/json/check.ts';

const accepts = (text: string, cut = text.length): boolean => {
  const bytes = Buffer.from(text);
  const check = createJsonCheck(() => undefined);
  try {
    for (let at = 0; at < bytes.length; at += Math.max(1, cut)) check.feed(bytes.subarray(at, at + Math.max(1, cut)));
    check.end();
    return true;
  } catch {
    return false;
  }
};

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('accepts what JSON.parse accepts, in pieces of any size', () =>
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 1, max: 9 }), (text, cut) => {
      expect(accepts(text, cut)).toBe(true);
    }),
    { numRuns: 500 },
  ));

test('agrees with JSON.parse on single values that were damaged', () =>
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom(...'{}[],:"\\019.-+eEtfnu \n/'.split('')),
      fc.boolean(),
      (text, place, mark, insert) => {
        const at = place % (text.length + 1);
        const damaged = `[${text.slice(0, at)}${mark}${text.slice(insert ? at : at + 1)}]`;
        expect(accepts(damaged), damaged).toBe(parses(damaged));
      },
    ),
    { numRuns: 3_000 },
  ));

test('takes several values, each on a line of its own, and objects one after the other', () => {
  expect(accepts('{"a":1}\n{"a":2}\n')).toBe(true);
  expect(accepts('{"a":\n1}\r\n\n{"a":2}')).toBe(true);
  expect(accepts('1\n2')).toBe(true);
  expect(accepts('{"a":1}{"a":2} {"a":3}')).toBe(true);
  expect(accepts('[1][2]')).toBe(false);
  expect(accepts('[\n1]{"a":2}')).toBe(false);
  expect(accepts('{"a":1} "x"')).toBe(false);
  expect(accepts('1 2')).toBe(false);
  expect(accepts('012')).toBe(false);
});

test.each([
  '{"a":1,}',
  '[1,]',
  '{"a":1}/**/',
  '{a:1}',
  "{'a':1}",
  '[NaN]',
  '[1.]',
  '[.5]',
  '[+1]',
  '["\t"]',
  '["\\x"]',
  '{"a" 1}',
  '{"a":1]',
  '[',
  '"',
  '{"a":',
  '[01]',
  '[1e]',
  '{"a":1 "b":2}',
])('refuses %s', (text) => expect(accepts(text)).toBe(false));

test('refuses what would make a parser recurse', () => expect(accepts('['.repeat(100_000) + ']'.repeat(100_000))).toBe(false));

test('hands over each name as it is written, in pieces of any size, and whether it names a column', () => {
  const bytes = Buffer.from('[{"é\\u0041":{"":["x",{"in":1}]},"k\\"":2}]');
  for (let cut = 1; cut <= bytes.length; cut += 1) {
    const names: [string, boolean][] = [];
    const check = createJsonCheck((written, isColumn) => names.push([JSON.parse(written) as string, isColumn]));
    for (let at = 0; at < bytes.length; at += cut) check.feed(bytes.subarray(at, at + cut));
    check.end();
    expect(names).toEqual([
      ['éA', true],
      ['', false],
      ['in', false],
      ['k"', true],
    ]);
  }
});
