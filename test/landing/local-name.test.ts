import { expect, test } from 'vitest';
import { localName } from '../../landing/local-name.ts';

// File systems take 255 bytes, and while a file is written its name has more behind it.
const mostBytes = 200;

test.each([
  ['.csv', '日'],
  ['.csv.gz', '日'],
  ['.parquet', '🎬é'],
  ['', '日'],
])('a long name that ends with %j is cut at a character, and keeps its ending', (ending, characters) => {
  const name = localName({ http: 'https://example.com/files' }, `/data/${encodeURIComponent(characters.repeat(100))}${ending}`, '');
  expect(Buffer.byteLength(name)).toBeLessThan(mostBytes);
  expect(name.endsWith(ending)).toBe(true);
  expect(name.isWellFormed()).toBe(true);
  expect(name.length).toBeGreaterThan(ending.length + 40);
});
