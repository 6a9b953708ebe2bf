import { open } from 'node:fs/promises';
import { behindRecords } from './records.ts';

const delimiters = [',', ';', '\t', '|'];

/** So much of a file is looked at first. */
export const headBytes = 65_536;

/** The start of a file as text. */
export async function head(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(headBytes);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The start of a file behind so many records of it. Where a quote opens a field depends on the delimiter: it is one that the next line holds. */
export function behind(
  text: string,
  skip: number,
  { delimiter, ...characters }: { quote: string; escape: string | undefined; delimiter: string | undefined },
): { text: string; lines: number } {
  const rests = (delimiter === undefined ? delimiters : [delimiter]).map((each) => ({
    each,
    ...behindRecords(text, skip, { delimiter: each, ...characters }),
  }));
  return rests.find(({ each, text: rest }) => guessOf(firstLineOf(rest)) === each) ?? rests[0]!;
}

/** What stands before the first line end. */
export const firstLineOf = (text: string): string => text.split(/\r?\n|\r/, 1)[0] ?? '';

/** The delimiter that stands most often in the first line, outside of quotes; undefined where none does. */
export function guessOf(firstLine: string): string | undefined {
  const bare = firstLine.replace(/"[^"]*"/g, '');
  const counted = delimiters.map((each) => ({ each, count: bare.split(each).length - 1 }));
  const best = counted.reduce((a, b) => (b.count > a.count ? b : a));
  return best.count > 0 ? best.each : undefined;
}
