import { describe, expect, test } from 'vitest';
import { badFiles } from './bad-files.ts';
import { brief, findings } from './support.ts';

describe('every mistake is found at its line and column', () => {
  test.each(badFiles)('$name', ({ text, finds, says = [] }) => {
    const found = findings(text);
    expect(brief(found)).toEqual(finds);
    const words = found.map(({ message, remedy = '', corrected = '' }) => `${message}\n${remedy}\n${corrected}`).join('\n');
    for (const part of says) expect(words).toContain(part);
  });
});
