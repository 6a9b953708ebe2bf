import { expect, test } from 'vitest';
import { quoted } from '../../text/quoted.ts';

const secret = 'nk-ab+cd/ef\\g"h.🎬==';

test.each([
  ['as it is', secret],
  ['in JSON', JSON.stringify(secret).slice(1, -1)],
  [
    'in JSON that escapes slashes',
    JSON.stringify(secret)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  ],
  [
    'in JSON of ASCII',
    Array.from(secret.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`).join(''),
  ],
  ['in an address', encodeURIComponent(secret)],
])('a text is found %s', (_, text) => {
  expect(`refused: ${text}!`.replace(quoted(secret), '[it]')).toBe('refused: [it]!');
});

test('a text that is another one is not', () => {
  expect('nk-abXcd/ef'.replace(quoted('nk-ab.cd/ef'), '[it]')).toBe('nk-abXcd/ef');
});

test('a long text that begins alike is passed at once', () => {
  const text = 'a'.repeat(2_000);
  expect(`${text}b`.replace(quoted(`${text}c`), '[it]')).toBe(`${text}b`);
});
