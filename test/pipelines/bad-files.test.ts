import { describe, expect, test } from 'vitest';
import { badFiles } from './bad-files.ts';
import { brief, findings } from './support.ts';

describe('every mistake is found at its line and column', () => {
  test.each(badFiles)('$name', ({ text, finds, says = [], only }) => {
    const found = findings(text);
    if (only === undefined) expect(brief(found)).toEqual(finds);
    else expect(found.map(({ code }) => code)).toEqual([only]);
    const words = found.map(({ message, remedy = '', corrected = '' }) => `${message}\n${remedy}\n${corrected}`).join('\n');
    for (const part of says) expect(words).toContain(part);
    expect(words).not.toContain('undefined');
  });
});

test('a value from outside is wrong where it stands in the file, not in the default that it replaces', () => {
  const text =
    'name: bad\nparams: { s: { type: string, default: movies } }\nsteps:\n  one: { use: dataset.ensure, with: { slug: "${{ params.s }}" } }\n';
  expect(brief(findings(text, { params: { s: 'Movies' } }))).toEqual(['invalid-value 4:45']);
});
