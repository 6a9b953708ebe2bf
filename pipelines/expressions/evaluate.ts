import { asText } from '../../text/as-text.ts';
import type { Json } from '../../text/json.ts';
import { checkCost, weigh } from './cost.ts';
import { compileExpression, toExpressionError, type Compiled } from './compile.ts';
import { fromCel, toCel } from './value.ts';
import { ExpressionError, unknownName } from './error.ts';
import { hasExpression, isExact, split, type Segment } from './scan.ts';

export { ExpressionError };

/** What `${{ }}` may refer to: parameters, outputs of finished steps by step id, items of the loops around it by their names, the run itself. */
export type Scope = {
  params: { [name: string]: Json };
  steps: { [id: string]: Json };
  items?: { [name: string]: Json };
  run: { [name: string]: Json };
};

/** Values and characters that the expressions of one tree may give: about 64 KiB of JSON, what one payload may hold. */
const maxResult = 65_536;

/**
 * Replaces every `${{ }}` in a value. A string that is exactly one expression gives the expression's value;
 * in any other string the value is put in as text (objects and lists as JSON). Pure, synchronous,
 * deterministic; every failure is an `ExpressionError`.
 */
export function evaluateTree(value: Json, scope: Scope): Json {
  try {
    return tree(value, createContext(scope));
  } catch (error) {
    throw toExpressionError('expression-evaluation', error);
  }
}

type Context = { scopeFor(compiled: Compiled): Record<string, unknown>; left: number };

/** Converts only what an expression refers to, once per tree. */
function createContext(scope: Scope): Context {
  const steps = new Map<string, unknown>();
  let params: unknown;
  let run: unknown;
  const ofLoops = new Map<string, unknown>();
  const step = (id: string): unknown => {
    if (!steps.has(id)) steps.set(id, toCel(Object.hasOwn(scope.steps, id) ? scope.steps[id] : undefined));
    return steps.get(id);
  };
  const item = (name: string): unknown => {
    const { items = {} } = scope;
    if (!Object.hasOwn(items, name)) throw unknownName(name, new Set(Object.keys(items)), 0);
    if (!ofLoops.has(name)) ofLoops.set(name, toCel(items[name]));
    return ofLoops.get(name);
  };
  const scopeFor: Context['scopeFor'] = (compiled) => {
    const named: Record<string, unknown> = Object.create(null);
    const items: Record<string, unknown> = Object.create(null);
    for (const { root, path } of compiled.references) {
      const name = path[0]!;
      if (root === 'item') items[name] = item(name);
      if (root !== 'steps') continue;
      const output = step(name);
      if (output !== undefined) named[name] = output;
    }
    return { ...items, params: (params ??= toCel(scope.params)), run: (run ??= toCel(scope.run)), steps: named };
  };
  return { scopeFor, left: maxResult };
}

function tree(value: Json, context: Context): Json {
  if (typeof value === 'string') return hasExpression(value) ? text(value, context) : value;
  if (Array.isArray(value)) return Array.from(value, (item) => tree(item, context));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, tree(member, context)]));
  return value;
}

function text(value: string, context: Context): Json {
  const segments = split(isExact(value) ? value.trim() : value);
  if (segments.length === 1 && segments[0]!.kind === 'expression') return evaluate(segments[0]!, context);
  return segments.map((segment) => (segment.kind === 'text' ? segment.text : asText(evaluate(segment, context)))).join('');
}

function evaluate(segment: Segment & { kind: 'expression' }, context: Context): Json {
  try {
    const compiled = compileExpression(segment.code);
    const scope = context.scopeFor(compiled);
    checkCost(compiled.ast, scope);
    const result: unknown = compiled.run(scope);
    context.left -= weigh(result);
    if (context.left < 0)
      throw new ExpressionError(
        'expression-result',
        'the result is larger than 64 KiB: lists stay in the run store and are passed by reference; select before, or do it in a step',
      );
    return fromCel(result);
  } catch (error) {
    const failure = toExpressionError('expression-evaluation', error);
    failure.message = `${'${{'}${segment.code}}}: ${failure.message}`;
    throw failure;
  }
}
