import { expect, test } from 'vitest';
import { chunksOf } from '../../child/inside/documents/chunks.ts';
import { documentLimits } from '../../child/document-limits.ts';

const contents = (content: string): string[] =>
  chunksOf({ blocks: [{ type: 'Text', content }], notes: [] }, () => undefined).map((chunk) => chunk.content);

test('a long text without spaces is cut between its characters, and nothing of it is lost', () => {
  const text = `a${'\u{1F600}'.repeat(documentLimits.chunkCharacters)}`;
  const chunks = contents(text);
  expect(chunks.length).toBeGreaterThan(2);
  expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true);
  expect(chunks.join('')).toBe(text);
});

test.each(['。', '！', '？'])('a long text is cut behind its sentences that end with %s', (end) => {
  const text = `${'字'.repeat(40)}${end}`.repeat(300);
  const chunks = contents(text);
  expect(chunks.length).toBeGreaterThan(2);
  expect(chunks.every((chunk) => chunk.endsWith(end))).toBe(true);
  expect(chunks.join('')).toBe(text);
});
