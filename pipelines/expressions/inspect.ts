import type { ASTNode } from '@marcbachmann/cel-js';
import { comprehensions, functions, leftOut, methods, typeNames } from './functions.ts';
import { ExpressionError } from './error.ts';
import { roots } from './environment.ts';

/**
 * `steps.find.ids` is root `steps`, path `find`, `ids`; `offset` is where it begins in the code. `optional`: the first name of the path
 * may be missing, as in `steps.?find.ids`. Any other name is that of an item: `doc.name` is root `item`, path `doc`, `name`.
 */
export type Reference = { root: (typeof roots)[number] | 'item'; path: string[]; offset: number; optional?: true };

const refuse = (message: string, node: ASTNode): ExpressionError => new ExpressionError('expression-syntax', message, node.start);

const isRoot = (name: string): name is (typeof roots)[number] => (roots as readonly string[]).includes(name);

/** A chain of constant names from a root, or undefined: `params.a["b"].?c`. `variable` is the element of a comprehension. */
export function chain(node: ASTNode, variable?: string): Reference | undefined {
  if (node.op === 'id') return node.args === variable ? undefined : rootAt(node.args, node.start);
  if (node.op === '.' || node.op === '.?') return behind(chain(node.args[0], variable), node.args[1], node.op === '.?');
  if (node.op === '[]' || node.op === '[?]') {
    const [of, key] = node.args;
    return key.op === 'value' && typeof key.args === 'string' ? behind(chain(of, variable), key.args, node.op === '[?]') : undefined;
  }
  return undefined;
}

function rootAt(name: string, offset: number): Reference | undefined {
  if (isRoot(name)) return { root: name, path: [], offset };
  return typeNames.has(name) ? undefined : { root: 'item', path: [name], offset };
}

const behind = (before: Reference | undefined, name: string, optional: boolean): Reference | undefined =>
  before && { ...before, path: [...before.path, name], ...(optional && before.path.length === 0 ? { optional } : {}) };

/** Operands of a node, whatever its operator. */
export function children(node: ASTNode): ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}

/** The parts of `list.map(x, body)`, or undefined where the node is no comprehension. */
export function comprehension(node: ASTNode): { name: string; over: ASTNode; variable: ASTNode; body: ASTNode[] } | undefined {
  if (node.op !== 'rcall' || !Object.hasOwn(comprehensions, node.args[0]) || node.args[2].length < 2) return undefined;
  const [variable, ...body] = node.args[2];
  return { name: node.args[0], over: node.args[1], variable: variable!, body };
}

/**
 * Refuses what is not allowed (functions outside the table, nested comprehensions, `steps` as a whole) and gives what the expression
 * refers to.
 */
export function inspect(node: ASTNode, variable?: string): Reference[] {
  const found = chain(node, variable);
  if (found) {
    if (found.root === 'steps' && found.path.length === 0) throw refuse('name the step and its output: `steps.ID.OUTPUT`', node);
    return [found];
  }
  checkNode(node);
  const inner = comprehension(node);
  if (!inner) return children(node).flatMap((child) => (isNamespace(node, child) ? [] : inspect(child, variable)));
  if (variable !== undefined)
    throw refuse(`${inner.name}() inside another comprehension is not allowed: its cost is the product of both lists`, node);
  if (inner.variable.op !== 'id' || isRoot(inner.variable.args))
    throw refuse(`${inner.name}() needs a name of its own for the element, not a value or ${roots.join(', ')}`, inner.variable);
  const name = inner.variable.args;
  return [...inspect(inner.over), ...inner.body.flatMap((part) => inspect(part, name))];
}

/** `optional` in `optional.of(x)` and `optional.none()`. */
const isNamespace = (node: ASTNode, child: ASTNode): boolean =>
  node.op === 'rcall' && child === node.args[1] && child.op === 'id' && child.args === 'optional' && ['of', 'none'].includes(node.args[0]);

function checkNode(node: ASTNode): void {
  if (node.op === 'value' && node.args !== null && typeof node.args === 'object')
    throw refuse('bytes and unsigned integers are not JSON', node);
  if (node.op === 'call') checkName(node.args[0], functions, node);
  if (node.op === 'rcall') {
    const name = node.args[0];
    if (Object.hasOwn(comprehensions, name) && !comprehension(node))
      throw refuse(`${name}() needs a variable and an expression: list.${name}(x, …)`, node);
    if (!Object.hasOwn(comprehensions, name)) checkName(name, methods, node);
    if (name === 'join' || name === 'split') checkSeparator(node.args[2], name, node);
  }
  if (node.op === 'map') for (const [key] of node.args) checkKey(key);
}

function checkName(name: string, table: Readonly<Record<string, unknown>>, node: ASTNode): void {
  if (Object.hasOwn(table, name)) return;
  const why = Object.hasOwn(leftOut, name) ? leftOut[name] : `there are ${Object.keys(table).join(', ')}`;
  throw refuse(`${name}() is not available: ${why}`, node);
}

/** A computed separator would multiply two texts. */
function checkSeparator(parts: ASTNode[], name: string, node: ASTNode): void {
  for (const [index, part] of parts.entries()) {
    const wanted = index === 0 ? 'string' : 'bigint';
    if (part.op !== 'value' || typeof part.args !== wanted) throw refuse(`${name}() takes a written-out separator such as ","`, node);
  }
}

function checkKey(key: ASTNode): void {
  if (key.op !== 'value' || typeof key.args !== 'string') throw refuse('keys of an object are written-out texts: {"name": value}', key);
  if (key.args === '__proto__') throw refuse('`__proto__` is not a key', key);
}
