import type { Json } from '../plan.ts';
import { checkCost } from './cost.ts';
import { compileExpression, toExpressionError, type Compiled } from './compile.ts';
import { fromCel, toCel } from './value.ts';
import { hasExpression, isExact, split, type Segment } from './scan.ts';

export { ExpressionError } from './error.ts';

/** What `${{ }}` may refer to: parameters, outputs of finished steps by step id, the run itself. */
export type Scope = { params: { [name: string]: Json }; steps: { [id: string]: Json }; run: { [name: string]: Json } };

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

type Context = (compiled: Compiled) => Record<string, unknown>;

/** Converts only what an expression refers to, once per tree. */
function createContext(scope: Scope): Context {
  const steps = new Map<string, unknown>();
  let params: unknown;
  let run: unknown;
  const step = (id: string): unknown => {
    if (!steps.has(id)) steps.set(id, toCel(Object.hasOwn(scope.steps, id) ? scope.steps[id] : undefined));
    return steps.get(id);
  };
  return (compiled) => {
    const named: Record<string, unknown> = Object.create(null);
    for (const { root, path } of compiled.references) {
      if (root !== 'steps') continue;
      const output = step(path[0]!);
      if (output !== undefined) named[path[0]!] = output;
    }
    return { params: (params ??= toCel(scope.params)), run: (run ??= toCel(scope.run)), steps: named };
  };
}

function tree(value: Json, context: Context): Json {
  if (typeof value === 'string') return hasExpression(value) ? text(value, context) : value;
  if (Array.isArray(value)) return Array.from(value, (item) => tree(item, context));
  if (value !== null && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, tree(member, context)]));
  return value;
}

function text(value: string, context: Context): Json {
  const segments = split(isExact(value) ? value.trim() : value);
  if (segments.length === 1 && segments[0]!.kind === 'expression') return evaluate(segments[0]!, context);
  return segments.map((segment) => (segment.kind === 'text' ? segment.text : asText(evaluate(segment, context)))).join('');
}

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function evaluate(segment: Segment & { kind: 'expression' }, context: Context): Json {
  try {
    const compiled = compileExpression(segment.code);
    const scope = context(compiled);
    checkCost(compiled.ast, scope);
    return fromCel(compiled.run(scope));
  } catch (error) {
    const failure = toExpressionError('expression-evaluation', error);
    failure.message = `${'${{'}${segment.code}}}: ${failure.message}`;
    throw failure;
  }
}
