import { compileExpression, toExpressionError } from './compile.ts';
import { ExpressionError, unknownName } from './error.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import { hasExpression, split } from './scan.ts';

/** What a string refers to; `offset` counts characters from the start of the string. */
export type References = {
  steps: { id: string; path: string[]; offset: number; optional?: true }[];
  params: { name: string | undefined; offset: number }[];
  run: { path: string[]; offset: number; optional?: true }[];
  /** Names that an expression has beside the roots: items of the loops around it, or unknown ones. */
  items: { name: string; path: string[]; offset: number }[];
};

const none: ReadonlySet<string> = new Set();

/** Every reference in a string, for the order of steps. Fails with `ExpressionError` where an expression is wrong. */
export function references(text: string): References {
  const all: References = { steps: [], params: [], run: [], items: [] };
  if (!hasExpression(text)) return all;
  for (const segment of split(text)) {
    if (segment.kind === 'text') continue;
    for (const { root, path, offset, optional } of compile(segment.code, segment.codeStart).references) {
      const at = segment.codeStart + offset;
      if (root === 'steps') all.steps.push({ id: path[0]!, path: path.slice(1), offset: at, ...(optional ? { optional } : {}) });
      else if (root === 'params') all.params.push({ name: path[0], offset: at });
      else if (root === 'run') all.run.push({ path, offset: at, ...(optional ? { optional } : {}) });
      else all.items.push({ name: path[0]!, path: path.slice(1), offset: at });
    }
  }
  return all;
}

/** Ids of the steps that the expressions of a value read. */
export const stepsIn = (value: unknown): string[] => expressionsIn(value).flatMap(({ text }) => references(text).steps.map(({ id }) => id));

function compile(code: string, codeStart: number): ReturnType<typeof compileExpression> {
  try {
    return compileExpression(code);
  } catch (error) {
    const { type, message, offset } = toExpressionError('expression-syntax', error);
    throw new ExpressionError(type, message, codeStart + offset);
  }
}

/** The first error of a string's expressions (`offset` within the string), or undefined. `known`: names of the items that it may refer to. */
export function checkExpression(text: string, known: ReadonlySet<string> = none): ExpressionError | undefined {
  try {
    const unknown = references(text).items.find(({ name }) => !known.has(name));
    return unknown && unknownName(unknown.name, known, unknown.offset);
  } catch (error) {
    return toExpressionError('expression-syntax', error);
  }
}
