import type { ASTNode } from '@marcbachmann/cel-js';
import { compileExpression } from './compile.ts';
import { children } from './inspect.ts';
import { split } from './scan.ts';

/** Where one name of a reference stands in a string; `quote`: of one that is written in brackets, `["rows"]`, whose quotes are in it. */
type Spot = { start: number; end: number; quote?: string };

/**
 * A string with another name in the place of one of a reference: that which begins at `offset`, and whose names are counted from 0 behind
 * `steps`, `params`, `run` or the item. The same letters may stand in the string before. Undefined where the name cannot stand there.
 */
export function withName(text: string, offset: number, index: number, by: string): string | undefined {
  const spot = spotsOf(text, offset)[index];
  if (spot === undefined || !(spot.quote === undefined ? /^[A-Za-z_]\w*$/ : /^[^"'\\\n]*$/).test(by)) return undefined;
  const { start, end, quote = '' } = spot;
  return text.slice(0, start) + quote + by + quote + text.slice(end);
}

/** A string without one name of a reference, which has another one behind it. Undefined where the two are not written alike. */
export function withoutName(text: string, offset: number, index: number): string | undefined {
  const [spot, next] = spotsOf(text, offset).slice(index);
  if (spot === undefined || next === undefined) return undefined;
  const between = text.slice(spot.end, next.start);
  return /^\s*(?:\.|\]\s*\[)\s*$/.test(between) ? text.slice(0, spot.start) + text.slice(next.start) : undefined;
}

/** The names of the reference that begins at `offset`, in order. */
function spotsOf(text: string, offset: number): Spot[] {
  const segment = split(text).find((each) => each.kind === 'expression' && each.codeStart <= offset && offset < each.end);
  if (segment?.kind !== 'expression') return [];
  const { code, codeStart } = segment;
  const found = inside(compileExpression(code).ast, offset - codeStart, code) ?? [];
  return found.map((spot) => ({ ...spot, start: codeStart + spot.start, end: codeStart + spot.end }));
}

/** The longest chain of names from a root, wherever in an expression it stands. */
function inside(node: ASTNode, root: number, code: string): Spot[] | undefined {
  const own = chainFrom(node, root, code);
  if (own) return own;
  for (const child of children(node)) {
    const found = inside(child, root, code);
    if (found) return found;
  }
  return undefined;
}

function chainFrom(node: ASTNode, root: number, code: string): Spot[] | undefined {
  if (node.op === 'id') return node.start === root ? [] : undefined;
  if (node.op === '.' || node.op === '.?') {
    const [of, name] = node.args;
    const before = chainFrom(of, root, code);
    return before && [...before, { start: node.pos, end: node.pos + name.length }];
  }
  if (node.op !== '[]' && node.op !== '[?]') return undefined;
  const [of, key] = node.args;
  const before = key.op === 'value' && typeof key.args === 'string' ? chainFrom(of, root, code) : undefined;
  return before && [...before, { start: key.start, end: key.end, quote: code[key.end - 1]! }];
}
