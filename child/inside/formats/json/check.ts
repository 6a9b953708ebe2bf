import { createReadStream } from 'node:fs';
import { childLimits } from '../../../child-limits.ts';
import { BadInput } from '../../../../errors/classes.ts';
import { isDigit, numberStates, type NumberState } from './number-states.ts';
import type { NameCheck } from './names.ts';

/** Deeper nesting than any table has; a parser may recurse. */
const deepest = childLimits.jsonDepth;

type State =
  | 'value'
  | 'value or ]'
  | 'name or }'
  | 'name'
  | 'colon'
  | 'after value'
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal'
  | NumberState;

const code = (text: string): number => text.charCodeAt(0);
const [quote, backslash, comma, colon, openList, closeList, openObject, closeObject] = ['"', '\\', ',', ':', '[', ']', '{', '}'].map(
  code,
) as [number, number, number, number, number, number, number, number];
const literals: Record<number, string> = { [code('t')]: 'rue', [code('f')]: 'alse', [code('n')]: 'ull' };
const escapes = new Set([...'"\\/bfnrt'].map(code));
const isHex = (byte: number): boolean => isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const numbers: Partial<Record<State, (typeof numberStates)[NumberState]>> = numberStates;

/** Bytes of a name as they are, one character each: a piece may end within a letter. */
const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');

/**
 * A checker of JSON text fed in pieces: one value, several on lines of their own, or objects one after the other. Throws at
 * the first byte that RFC 8259 forbids.
 */
export function createJsonCheck(checkName: NameCheck) {
  let state: State = 'value';
  // One entry per open list or object: true for an object.
  const open: boolean[] = [];
  let isName = false;
  let rest = '';
  let hexLeft = 0;
  let line = 1;
  // Has a line ended since the last value?
  let newLine = false;
  let wasObject = false;
  // The name that is being read: what earlier pieces held of it, and where it goes on in this one.
  let nameStart = '';
  let nameFrom = 0;

  const fail = (what: string): never => {
    throw new BadInput('bad_input', `is not JSON: ${what} in line ${line}`);
  };
  const unexpected = (byte: number): never =>
    fail(
      byte > 0x20 && byte < 0x7f ? `unexpected ${String.fromCharCode(byte)}` : `unexpected byte 0x${byte.toString(16).padStart(2, '0')}`,
    );

  const startValue = (byte: number): void => {
    if (byte === quote) {
      state = 'string';
      isName = false;
    } else if (byte === openObject || byte === openList) {
      open.push(byte === openObject);
      if (open.length > deepest) fail(`nested deeper than ${deepest} levels`);
      state = byte === openObject ? 'name or }' : 'value or ]';
    } else if (byte === 0x2d) state = 'minus';
    else if (byte === 0x30) state = 'zero';
    else if (isDigit(byte)) state = 'integer';
    else if (literals[byte]) {
      rest = literals[byte];
      state = 'literal';
    } else unexpected(byte);
  };

  const close = (byte: number): void => {
    wasObject = byte === closeObject;
    if (open.pop() !== wasObject) unexpected(byte);
    state = 'after value';
  };

  const afterValue = (byte: number): void => {
    const inObject = open.at(-1);
    if (inObject === undefined) {
      if (!newLine && !(wasObject && byte === openObject)) unexpected(byte);
      newLine = wasObject = false;
      startValue(byte);
    } else if (byte === comma) state = inObject ? 'name' : 'value';
    else if (byte === closeList || byte === closeObject) close(byte);
    else unexpected(byte);
  };

  const endName = (bytes: Uint8Array, at: number): void => {
    const isColumn = open.length === 1 || (open.length === 2 && open[0] === false);
    const written = Buffer.from(`${nameStart}${textOf(bytes, nameFrom, at)}"`, 'latin1').toString('utf8');
    checkName(written, isColumn, line);
    isName = false;
    state = 'colon';
  };

  const step = (byte: number, bytes: Uint8Array, at: number): void => {
    const number = numbers[state];
    if (number) {
      const next = number.next(byte);
      if (next) {
        state = next;
        return;
      }
      if (!number.ends) unexpected(byte);
      // Two numbers of a sequence need a space between them: 012 is not 0 and 12.
      if (open.length === 0 && !isSpace(byte)) unexpected(byte);
      state = 'after value';
    }
    switch (state) {
      case 'string':
        if (byte === quote && isName) endName(bytes, at);
        else if (byte === quote) state = 'after value';
        else if (byte === backslash) state = 'escape';
        else if (byte < 0x20) unexpected(byte);
        return;
      case 'escape':
        if (byte === 0x75) {
          state = 'hex';
          hexLeft = 4;
        } else if (escapes.has(byte)) state = 'string';
        else unexpected(byte);
        return;
      case 'hex':
        if (!isHex(byte)) unexpected(byte);
        hexLeft -= 1;
        if (hexLeft === 0) state = 'string';
        return;
      case 'literal':
        if (byte !== rest.charCodeAt(0)) unexpected(byte);
        rest = rest.slice(1);
        if (rest === '') state = 'after value';
        return;
      default:
    }
    if (isSpace(byte)) {
      if (byte === 0x0a) {
        line += 1;
        newLine = state === 'after value' && open.length === 0;
      }
      return;
    }
    switch (state) {
      case 'value':
        return startValue(byte);
      case 'value or ]':
        return byte === closeList ? close(byte) : startValue(byte);
      case 'name or }':
      case 'name':
        if (byte === closeObject && state === 'name or }') return close(byte);
        if (byte !== quote) unexpected(byte);
        state = 'string';
        isName = true;
        nameStart = '';
        nameFrom = at;
        return;
      case 'colon':
        if (byte !== colon) unexpected(byte);
        state = 'value';
        return;
      default:
        return afterValue(byte);
    }
  };

  return {
    feed(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; at += 1) {
        // Most bytes of a file are plain bytes of strings.
        if (state === 'string') while (at < bytes.length && bytes[at]! >= 0x20 && bytes[at] !== quote && bytes[at] !== backslash) at += 1;
        if (at < bytes.length) step(bytes[at]!, bytes, at);
      }
      if (!isName) return;
      nameStart += textOf(bytes, nameFrom, bytes.length);
      nameFrom = 0;
    },
    end(): void {
      if (open.length > 0 || !(state === 'after value' || state === 'value' || numbers[state]?.ends)) fail('unexpected end');
    },
  };
}

/**
 * Refuses a file that is not JSON by the letter. DuckDB's parser lets trailing commas and the like pass, and
 * another program would read other rows.
 */
export async function checkJson(file: string, checkName: NameCheck): Promise<void> {
  const check = createJsonCheck(checkName);
  let first = true;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const marked = first && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    check.feed(marked ? chunk.subarray(3) : chunk);
    first = false;
  }
  check.end();
}
