import { matchesGlob } from 'node:path/posix';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGlob, fixedPart, isGlob, spread, wrongRange } from '../../text/glob.ts';

const piece = fc.constantFrom('a', 'b', 'x1', '*', '?', '[ab]', '[!a]', '{a,bb}', '{a,{b,x1}}', '.x', '-');
const part = fc.oneof(
  { weight: 5, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')) },
  fc.constant('**'),
);
const pattern = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const name = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', 'x', '1', '-', '.'), minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 })
  // A URL drops these two, so that no address has them.
  .filter((parts) => !parts.some((each) => /^\.\.?$/.test(each)))
  .map((parts) => parts.join('/'));

test('names fit a pattern as files of this host do', () => {
  fc.assert(
    fc.property(pattern, name, (glob, path) => {
      expect([glob, path, createGlob(glob)(path)]).toEqual([glob, path, matchesGlob(path, glob)]);
    }),
    { numRuns: 5_000 },
  );
});

test('every name that fits begins with the fixed part, and a text without signs is itself alone', () => {
  fc.assert(
    fc.property(pattern, name, (glob, path) => {
      if (createGlob(glob)(path)) expect(path.startsWith(fixedPart(glob))).toBe(true);
      expect(createGlob(path)(path) && !isGlob(path)).toBe(true);
    }),
  );
});

test.each([
  ['2026/[z-a].csv', '[z-a]'],
  ['{a,b[9-0]}/*', '[9-0]'],
  ['[!b-a]', '[!b-a]'],
  ['[a-z][0-9].csv', undefined],
  ['[-a]/[a-]/[a-a]', undefined],
  ['[z-a', undefined],
])('of %s the range %s runs backwards', (pattern, range) => {
  expect(wrongRange(pattern)).toBe(range);
  if (range === undefined) expect(createGlob(pattern)('x')).toBe(false);
});

test.each([
  ['a', 1],
  ['{a,b}/{c,d,e}', 6],
  ['{a,{b,c}d}', 3],
  ['{a', 1],
  ['{a}{b,c}', 1],
  ['{a,b}'.repeat(40), 2 ** 40],
])('%s stands for %d patterns without braces', (pattern, count) => {
  expect(spread(pattern)).toBe(count);
});
