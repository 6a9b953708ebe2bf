import { Lexer } from 'yaml';
import { closing } from '../../expressions/scan.ts';
import { quoted } from './write.ts';

/** An expression that YAML reads as something else. `line` is its line with every such expression quoted. */
export type Misread = { offset: number; reason: 'flow' | 'colon' | 'comment' | 'comma'; line: string };

type Repair = { start: number; end: number; quoted: string; reason: Misread['reason']; at: number };

/** The text with such expressions quoted, and where an offset in it was before. */
export type Quoted = { text: string; misread: Misread[]; before(offset: number): number };

/** A repair may change how the rest is read, so the text is read again; this bounds the readings. */
const maxPasses = 8;
const maxRepairs = 100;

/** Characters in which the end of a value is looked for that a comma has cut. */
const longestCut = 1_000;

/**
 * Finds `${{ }}` inside `{ }` or `[ ]`, those that YAML cuts at `: ` or ` #`, and expressions of SQL inside `{ }` that it cuts at a
 * comma, and quotes them, so that the rest of the file can be checked as it was meant.
 */
export function quoteExpressions(source: string): Quoted {
  let text = source;
  const misread: Misread[] = [];
  let before = (offset: number): number => offset;
  for (let pass = 0; pass < maxPasses && misread.length < maxRepairs && /\$\{\{|\(/.test(text); pass++) {
    const repairs = find(text);
    if (repairs.length === 0) break;
    const current = text;
    const outer = before;
    for (const { at, reason } of repairs) misread.push({ offset: outer(at), reason, line: correctedLine(current, at, repairs) });
    text = apply(current, repairs, 0, current.length);
    before = (offset) => outer(mapBack(offset, repairs));
  }
  return { text, misread, before };
}

/** Lexemes of the lexer that take no room in the text. */
const marks = new Set(['\u0002', '\u0018', '\u001F']);

function find(text: string): Repair[] {
  const repairs: Repair[] = [];
  let offset = 0;
  let depth = 0;
  let done = 0;
  let scalarNext = false;
  let blockNext = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (marks.has(lexeme)) {
      scalarNext = lexeme === '\u001F';
      continue;
    }
    const start = offset;
    offset += lexeme.length;
    const plain = scalarNext && !blockNext;
    if (scalarNext) blockNext = false;
    scalarNext = false;
    if (start < done) continue;
    if (plain) {
      const repair = misreadAt(text, lexeme, start, depth > 0) ?? (depth > 0 ? cutAtComma(text, lexeme, start) : undefined);
      if (repair === undefined) continue;
      repairs.push(repair);
      done = repair.end;
      // A comment inside { } hides what closes it: all that follows is read wrongly.
      if ((repair.reason === 'comment' && depth > 0) || repairs.length >= maxRepairs) break;
    } else if (lexeme === '{' || lexeme === '[') depth++;
    else if (lexeme === '}' || lexeme === ']') depth = Math.max(0, depth - 1);
    else if (/^[|>]/.test(lexeme)) blockNext = true;
  }
  return repairs;
}

function misreadAt(text: string, lexeme: string, start: number, inFlow: boolean): Repair | undefined {
  const at = inFlow ? start + lexeme.length - 1 : start + lexeme.lastIndexOf('${{');
  // Behind another dollar sign it is no expression.
  if (at < start || !text.startsWith('${{', at) || text[at - 1] === '$') return undefined;
  if (!inFlow && closing(lexeme, at - start + 3) >= 0) return undefined;
  const eol = text.indexOf('\n', at);
  const line = text.slice(at, eol < 0 ? text.length : eol);
  const length = closing(line, 3);
  if (length < 0) return undefined;
  const tail = plainTail(line, length, inFlow);
  const end = at + tail;
  return {
    start,
    end,
    at,
    quoted: quoted(text.slice(start, end)),
    reason: reasonOf(text, start + lexeme.length, line.slice(0, length), inFlow),
  };
}

/** A value in { } that YAML ends at a comma between parentheses: `round(price` of `round(price, 2)`. */
function cutAtComma(text: string, lexeme: string, start: number): Repair | undefined {
  if (!lexeme.includes('(') || text[start + lexeme.length] !== ',' || !/:[ \t]+$/.test(text.slice(Math.max(0, start - 80), start)))
    return undefined;
  const [line = ''] = text.slice(start, start + longestCut).split('\n', 1);
  let depth = 0;
  // A text of SQL may hold parentheses and commas of its own.
  for (const { 0: part, index } of line.matchAll(/'[^']*'|"[^"]*"|[(),\]}]/g)) {
    if (part === '(') depth++;
    else if (part === ')') depth--;
    else if (depth === 0 && /^[,\]}]$/.test(part)) {
      const value = line.slice(0, index).trimEnd();
      // Without such a comma YAML has read it as it stands; a name with its value is a field of its own.
      if (value.length <= lexeme.length || /:\s/.test(value)) return undefined;
      return { start, end: start + value.length, at: start, quoted: quoted(value), reason: 'comma' };
    }
  }
  return undefined;
}

/** Where the plain text after an expression ends: at a comment, inside { } also at `,` and closing brackets. */
function plainTail(line: string, from: number, inFlow: boolean): number {
  let index = from;
  while (index < line.length) {
    if (line.startsWith('${{', index)) {
      const next = closing(line, index + 3);
      if (next < 0) break;
      index = next;
    } else if (/\s/.test(line[index]!) && line[index + 1] === '#') break;
    else if (inFlow && /[,\]}]/.test(line[index]!)) break;
    else index++;
  }
  while (index > from && /\s/.test(line[index - 1]!)) index--;
  return index;
}

function reasonOf(text: string, cut: number, expression: string, inFlow: boolean): Misread['reason'] {
  if (inFlow) return / #/.test(expression) ? 'comment' : 'flow';
  return /^\s*#/.test(text.slice(cut, cut + 80)) ? 'comment' : 'colon';
}

function apply(text: string, repairs: readonly Repair[], from: number, to: number): string {
  let result = '';
  let position = from;
  for (const { start, end, quoted } of repairs) {
    if (start < from || end > to) continue;
    result += text.slice(position, start) + quoted;
    position = end;
  }
  return result + text.slice(position, to);
}

function correctedLine(text: string, at: number, repairs: readonly Repair[]): string {
  const from = text.lastIndexOf('\n', at) + 1;
  const eol = text.indexOf('\n', at);
  return apply(text, repairs, from, eol < 0 ? text.length : eol).trimEnd();
}

function mapBack(offset: number, repairs: readonly Repair[]): number {
  let shift = 0;
  for (const { start, end, quoted } of repairs) {
    if (offset < start + shift) break;
    if (offset < start + shift + quoted.length) return Math.min(end, Math.max(start, offset - shift - 1));
    shift += quoted.length - (end - start);
  }
  return offset - shift;
}
