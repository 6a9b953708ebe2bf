import { evaluateTree, ExpressionError } from '../expressions/evaluate.ts';
import { references } from '../expressions/references.ts';
import { hasExpression } from '../expressions/scan.ts';
import { formatPath, type Finding, type Locate, type Path } from '../file/findings.ts';
import type { Json } from '../../text/json.ts';
import { mapExpressions } from '../file/embedded-expressions.ts';

/** Puts in what is known before the run: expressions that refer to nothing but parameters with values. */
export type Fold = (value: Json, base: Path) => Json;

/** A fold over these parameters; an expression that fails on them is reported and left as it is. Also in the workflow sandbox. */
export function foldOver(params: { [name: string]: Json }, failed: (error: ExpressionError, path: Path) => void): Fold {
  const isKnown = (text: string): boolean => {
    const { steps, params: used, run, items } = references(text);
    return steps.length + run.length + items.length === 0 && used.every(({ name }) => name !== undefined && Object.hasOwn(params, name));
  };
  const foldText = (text: string, path: Path): Json => {
    try {
      if (!isKnown(text)) return text;
      const value = evaluateTree(text, { params, steps: {}, run: {} });
      // A text put together to look like an expression must not become one.
      return hasExpression(JSON.stringify(value)) ? text : value;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      failed(error, path);
      return text;
    }
  };
  return (value, base) => mapExpressions(value, (text, path) => foldText(text, [...base, ...path]));
}

/** The same for a file, whose findings name the place. */
export const createFold = (params: { [name: string]: Json }, locate: Locate, report: (finding: Finding) => void): Fold =>
  foldOver(params, ({ type, message }, path) => {
    // Wrong syntax has its finding already, at its column.
    if (type !== 'expression-syntax') report({ code: 'bad-expression', message, path: formatPath(path), ...locate.value(path) });
  });
