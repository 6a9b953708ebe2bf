import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/sources.mjs';
import { statementsOf } from '../../scripts/spec/statements.ts';
import { texts } from '../../scripts/spec/texts.ts';

const wordsOf = (text: string): string[] => text.match(/\w+/g) ?? [];

/** What can be wrong or missing: all but headings and the heads of tables. */
const bodyOf = (text: string): string =>
  text
    .split('\n')
    .filter((line, index, lines) => !line.startsWith('#') && !line.startsWith('|---') && !lines[index + 1]?.startsWith('|---'))
    .join('\n');

describe.each(Object.entries(texts))('statements of the text of the %s API', (api, file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = statementsOf(api, text);

  test('hold every word of it', () => {
    const held = new Set(statements.flatMap((statement) => wordsOf(statement.text)));
    const numbered = /^\d+\. /gm;
    expect(wordsOf(bodyOf(text).replaceAll(numbered, '')).filter((word) => !held.has(word) && !['GET', 'POST'].includes(word))).toEqual([]);
  });

  test('change with every word that changes', () => {
    const signs = new Set(statements.map(({ id, hash }) => `${id} ${hash}`));
    const words = [...bodyOf(text).matchAll(/\w{2,}/g)].map(([word]) => word);
    fc.assert(
      fc.property(fc.nat(words.length - 1), (at) => {
        let place = -1;
        const changed = text.split('\n').map((line, index, lines) => {
          if (line.startsWith('#') || line.startsWith('|---') || lines[index + 1]?.startsWith('|---')) return line;
          return line.replaceAll(/\w{2,}/g, (word) => (++place === at ? `${word}x` : word));
        });
        expect(statementsOf(api, changed.join('\n')).some(({ id, hash }) => !signs.has(`${id} ${hash}`))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

test('a row of the endpoint table states each operation, its fields, defaults, bounds and status', () => {
  const text = [
    '### Things',
    '',
    '| Method | Path | Request | Response |',
    '|---|---|---|---|',
    '| GET, POST | /things | query: limit (integer, default 20, max 100), by (string); newest first | 200 Things |',
    '| POST | /things/delete; POST /things/remove (deprecated) | body {name string, options {force boolean}} | 201 |',
  ].join('\n');
  expect(statementsOf('x', text).map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    ...['GET', 'POST'].flatMap((method) => [
      `x:${method} /things operation`,
      `x:${method} /things#limit field`,
      `x:${method} /things#by field`,
      `x:${method} /things#limit-default default`,
      `x:${method} /things#limit-max bound`,
      `x:${method} /things#200 status`,
      `x:${method} /things.1 sentence`,
    ]),
    ...['delete', 'remove'].flatMap((name) => [
      `x:POST /things/${name} operation`,
      ...['name', 'options', 'force'].map((field) => `x:POST /things/${name}#${field} field`),
      `x:POST /things/${name}#201 status`,
    ]),
  ]);
});

test('what a text leaves open is known as that', () => {
  const text = '## Limits\n\nThe limit is 5; it holds for all.\n\nThe size of a body: not shown.';
  expect(statementsOf('x', text).map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    'x:limits/1 sentence',
    'x:limits/2 sentence',
    'x:limits/3 open',
  ]);
});

test('two statements of one id are refused', () => {
  expect(() => statementsOf('x', '## A\n\nOne.\n\n## A\n\nTwo.')).toThrow('x:a/1: stands for `One.` and for `Two.`');
});
