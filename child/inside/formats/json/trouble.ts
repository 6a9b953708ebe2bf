import { createReadStream } from 'node:fs';
import { following } from '../utf8.ts';

const [newline, quote, backslash] = [0x0a, 0x22, 0x5c];

const high = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const low = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/**
 * What is wrong with the letters of a JSON file, and in which line: bytes that are no UTF-8, or half of a pair of UTF-16 as an escape.
 * Undefined where all are letters. Grammar is looked at before (`check.ts`).
 */
export async function jsonTrouble(file: string): Promise<string | undefined> {
  let line = 1;
  // Bytes of a letter that are still to come.
  let open = 0;
  let isText = false;
  // What has come of an escape: undefined outside of one.
  let escape: string | undefined;
  let pending: string | undefined;

  const half = (written: string): string =>
    `is not JSON: \\u${written} in line ${line} is half of a letter, and the other half is missing; write the letter itself, or both halves`;

  const unit = (written: string): string | undefined => {
    const value = Number.parseInt(written, 16);
    const before = pending;
    pending = high(value) ? written : undefined;
    if (low(value)) return before === undefined ? half(written) : undefined;
    return before === undefined ? undefined : half(before);
  };

  const step = (byte: number): string | undefined => {
    const more = open > 0 ? ((byte & 0xc0) === 0x80 ? open - 1 : undefined) : following(byte);
    if (more === undefined) return `is not UTF-8 text in line ${line}; save it as UTF-8`;
    open = more;
    if (byte === newline) line += 1;
    if (escape !== undefined) {
      escape += String.fromCharCode(byte);
      if (escape.startsWith('u') && escape.length < 5) return undefined;
      const written = escape;
      escape = undefined;
      if (written.length === 5) return unit(written.slice(1));
      return closed();
    }
    if (byte === backslash && isText) {
      escape = '';
      return undefined;
    }
    if (byte === quote) isText = !isText;
    return closed();
  };
  /** Something else has come than the second half. */
  const closed = (): string | undefined => {
    const before = pending;
    pending = undefined;
    return before === undefined ? undefined : half(before);
  };

  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
    for (const byte of chunk) {
      const trouble = step(byte);
      if (trouble !== undefined) return trouble;
    }
  return undefined;
}
