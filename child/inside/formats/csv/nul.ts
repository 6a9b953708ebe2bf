import { createReadStream } from 'node:fs';

const [newline, nul] = [0x0a, 0x00];

const chunksOf = (file: string, end = Infinity): AsyncIterable<Buffer> => createReadStream(file, { highWaterMark: 1 << 20, end });

/**
 * The first NUL byte of a CSV file: its line, and the encoding of a file in which it is half of a letter; undefined where it holds none.
 * No text of such a file has one (RFC 4180): it is what a lost block of a disk leaves, or half of a letter of UTF-16, the first half in
 * utf-16be. The engine would take it for a letter, or for the end of a name.
 */
export async function findNul(file: string): Promise<{ line: number; encoding: 'utf-16le' | 'utf-16be' } | undefined> {
  let before = 0;
  for await (const chunk of chunksOf(file)) {
    const at = chunk.indexOf(nul);
    const place = before + at;
    if (at >= 0) return { line: await lineAt(file, place), encoding: place % 2 === 0 ? 'utf-16be' : 'utf-16le' };
    before += chunk.length;
  }
  return undefined;
}

/** The line in which a byte stands, counted from 1. */
async function lineAt(file: string, place: number): Promise<number> {
  let line = 1;
  for await (const chunk of chunksOf(file, place))
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) line += 1;
  return line;
}
