import type { ASTNode } from '@marcbachmann/cel-js';
import { chain, children, comprehension } from './inspect.ts';
import { comprehensions, functions, methods } from './functions.ts';
import { ExpressionError } from './error.ts';

/** Steps of work that one evaluation may take; about 0.1 s per million. A workflow task has 5 s. */
const maxCost = 3_000_000;

/** fixed + each · |x|, where |x| is the size of the comprehension's element. */
type Affine = { fixed: number; each: number };

const one: Affine = { fixed: 1, each: 0 };
const sum = (parts: Affine[]): Affine =>
  parts.reduce((total, part) => ({ fixed: total.fixed + part.fixed, each: total.each + part.each }), { fixed: 0, each: 0 });
const times = (part: Affine, factor: number): Affine => ({ fixed: part.fixed * factor, each: part.each * factor });

/** Values and characters in a CEL value; stops counting past the limit. */
export function weigh(value: unknown): number {
  let total = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && total <= maxCost) {
    const next = rest.pop();
    total += typeof next === 'string' ? 1 + next.length : 1;
    if (next !== null && typeof next === 'object') for (const member of Object.values(next)) rest.push(member);
    if (next !== null && typeof next === 'object' && !Array.isArray(next)) for (const key of Object.keys(next)) total += key.length;
  }
  return total;
}

const resolve = (scope: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
    scope,
  );

/**
 * Refuses an evaluation whose upper bound of work on this scope is too large. Comprehensions do not nest, so
 * work and sizes are at most linear in the element: count · fixed + list · each.
 */
export function checkCost(ast: ASTNode, scope: Readonly<Record<string, unknown>>): void {
  const { cost } = bound(ast, scope);
  if (!(cost.fixed <= maxCost))
    throw new ExpressionError(
      'expression-cost',
      `too much work on this data (about ${Math.round(cost.fixed / 1e5) / 10} million steps, at most ${maxCost / 1e6} million): do it in a step, or select before`,
      ast.start,
    );
}

type Bound = { size: Affine; cost: Affine };

/** `variable` is the element of the comprehension around the node, whatever else has its name. */
function bound(node: ASTNode, scope: Readonly<Record<string, unknown>>, variable?: string): Bound {
  const reference = chain(node, variable);
  if (reference) {
    const { root, path } = reference;
    const value = root === 'item' ? resolve(scope, path) : resolve(scope[root], path);
    return { size: { fixed: weigh(value), each: 0 }, cost: times(one, 1 + path.length) };
  }
  const inner = comprehension(node);
  if (inner) return loop(inner, scope);
  const parts = children(node).map((child) => bound(child, scope, variable));
  const sizes = sum(parts.map((part) => part.size));
  const cost = sum([one, ...parts.map((part) => part.cost), sizes]);
  return { size: sizeOf(node, sizes), cost };
}

function sizeOf(node: ASTNode, parts: Affine): Affine {
  switch (node.op) {
    case 'value':
      return { fixed: 1 + String(node.args).length, each: 0 };
    case 'id':
      return { fixed: 1, each: 1 };
    case 'call':
      return grown(functions[node.args[0]], node, parts);
    case 'rcall':
      return grown(methods[node.args[0]], node, parts);
    case '+':
    case '?:':
    case '||':
    case '&&':
    case 'list':
    case 'map':
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      return sum([one, parts]);
    default:
      return one;
  }
}

function grown(growth: string | undefined, node: ASTNode, parts: Affine): Affine {
  if (growth === 'scalar') return one;
  // A number becomes at most 25 characters.
  if (growth === 'same') return sum([times(one, 25), parts]);
  const separator = node.op === 'rcall' && node.args[2][0]?.op === 'value' ? String(node.args[2][0].args).length : 0;
  return times(parts, 1 + separator);
}

function loop(inner: NonNullable<ReturnType<typeof comprehension>>, scope: Readonly<Record<string, unknown>>): Bound {
  const over = bound(inner.over, scope);
  const count = over.size.fixed;
  const variable = inner.variable.op === 'id' ? inner.variable.args : undefined;
  const body = inner.body.map((part) => bound(part, scope, variable));
  const total = (part: Affine): Affine => ({ fixed: count * part.fixed + count * part.each, each: 0 });
  const kind = comprehensions[inner.name];
  const size = kind === 'scalar' ? one : kind === 'filter' ? over.size : total(body.at(-1)!.size);
  return { size, cost: sum([over.cost, { fixed: count, each: 0 }, ...body.map((part) => total(part.cost))]) };
}
