import { ExpressionError } from './error.ts';

export type Segment =
  | { kind: 'text'; text: string; start: number }
  /** `start` and `end` enclose `${{ … }}`; `code` begins at `codeStart`. */
  | { kind: 'expression'; code: string; start: number; codeStart: number; end: number };

const opening = '${{';

/** True where the text holds an expression, or characters that stand for others: it is not what it says. */
export const hasExpression = (text: string): boolean => text.includes(opening);

/** Skips a CEL string literal that begins at `at`; the index after it, or -1 where it never ends. */
function afterString(text: string, at: number): number {
  const quote = text[at]!;
  const raw = /(^|[^A-Za-z0-9_])[rR]$/.test(text.slice(Math.max(0, at - 2), at));
  const mark = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
  for (let index = at + mark.length; index < text.length; index++) {
    if (text[index] === '\\' && !raw) index++;
    else if (text.startsWith(mark, index)) return index + mark.length;
  }
  return -1;
}

/**
 * Index after the `}}` that closes the expression whose code begins at `from`, or -1. Braces of map literals
 * and everything inside string literals are skipped.
 */
export function closing(text: string, from: number): number {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    const character = text[index]!;
    if (character === '"' || character === "'") {
      const next = afterString(text, index);
      if (next < 0) return -1;
      index = next - 1;
    } else if (character === '{') depth++;
    else if (character === '}') {
      if (depth === 0) return text[index + 1] === '}' ? index + 2 : -1;
      depth--;
    }
  }
  return -1;
}

/** Splits a string of a pipeline file into literal text and expressions; `$${{` is the text `${{`. Fails where an expression is not closed. */
export function split(text: string): Segment[] {
  const segments: Segment[] = [];
  let position = 0;
  while (position < text.length) {
    const start = text.indexOf(opening, position);
    if (start < 0) break;
    if (start > position && text[start - 1] === '$') {
      segments.push({ kind: 'text', text: `${text.slice(position, start - 1)}${opening}`, start: position });
      position = start + opening.length;
      continue;
    }
    const codeStart = start + opening.length;
    const end = closing(text, codeStart);
    if (end < 0) throw new ExpressionError('expression-syntax', 'the expression is not closed: `${{` needs its `}}`', start);
    if (start > position) segments.push({ kind: 'text', text: text.slice(position, start), start: position });
    segments.push({ kind: 'expression', code: text.slice(codeStart, end - 2), start, codeStart, end });
    position = end;
  }
  if (position < text.length) segments.push({ kind: 'text', text: text.slice(position), start: position });
  return segments;
}

/** True where the string is one expression and nothing else: it then gives a value of any type, not text. */
export function isExact(text: string): boolean {
  if (!text.trimStart().startsWith(opening)) return false;
  const trimmed = text.trim();
  return closing(trimmed, opening.length) === trimmed.length;
}
