import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import { environment, maxLength } from './environment.ts';
import { ExpressionError } from './error.ts';
import { inspect, type Reference } from './inspect.ts';

export type Compiled = { run: ParseResult; ast: ASTNode; references: Reference[] };

/** Pure results only, so a shared cache cannot make two evaluations differ; emptied when full. */
const cache = new Map<string, Compiled>();
const cacheSize = 500;

/** One expression without its `${{ }}`. Fails with `expression-syntax`, offset within the code. */
export function compileExpression(code: string): Compiled {
  const known = cache.get(code);
  if (known) return known;
  if (code.length > maxLength)
    throw new ExpressionError(
      'expression-syntax',
      `an expression has at most ${maxLength.toLocaleString('en-US')} characters, this one ${code.length}: do it in a step`,
    );
  if (code.trim() === '') throw new ExpressionError('expression-syntax', 'the expression is empty');
  const run = wrapped(() => environment.parse(code));
  const references = wrapped(() => inspect(run.ast));
  const checked = wrapped(() => run.check());
  if (!checked.valid) throw toExpressionError('expression-syntax', checked.error);
  if (cache.size >= cacheSize) cache.clear();
  const compiled = { run, ast: run.ast, references };
  cache.set(code, compiled);
  return compiled;
}

function wrapped<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toExpressionError('expression-syntax', error);
  }
}

/** Errors of the library carry a drawing of the source in `message` and the bare sentence in `summary`. */
export function toExpressionError(type: ExpressionError['type'], error: unknown): ExpressionError {
  if (error instanceof ExpressionError) return error;
  const { summary, message, range } = (error ?? {}) as { summary?: unknown; message?: unknown; range?: { start?: unknown } };
  const text = typeof summary === 'string' ? summary : typeof message === 'string' ? message : String(error);
  return new ExpressionError(type, text, typeof range?.start === 'number' ? range.start : 0);
}
