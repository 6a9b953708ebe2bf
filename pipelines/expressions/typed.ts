import type { Environment } from '@marcbachmann/cel-js';
import { toExpressionError } from './compile.ts';
import { createEnvironment } from './environment.ts';
import type { ExpressionError } from './error.ts';

/** Fields and their types in CEL: `string`, `bool`, `list<string>`, `map`, `dyn`, or fields of their own. `number`: int or double. */
export type TypedFields = { readonly [name: string]: string | TypedFields };

/** What an expression gives: its type, or why it gives nothing. */
export type Typed = { type: string } | { error: ExpressionError };

type Numbers = 'int' | 'double';

const withNumbers = (fields: TypedFields, numbers: Numbers): TypedFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [
      name,
      typeof type === 'string' ? type.replace('number', numbers) : withNumbers(type, numbers),
    ]),
  );

/** Choosing between values of two types is a mistake in CEL, and none in a file: what uses the value decides. */
const isChoice = (error: ExpressionError): boolean => error.message.startsWith('Ternary branches');

/**
 * A check of expressions against the types of what they refer to. A number of JSON may be an integer or a double to CEL: an expression
 * is wrong where it is wrong with both.
 */
export function createTypedCheck(roots: { params: TypedFields; steps: TypedFields; run: TypedFields }): (code: string) => Typed {
  const made: { [numbers in Numbers]?: Environment } = {};
  const create = (numbers: Numbers): Environment =>
    createEnvironment((environment) => {
      for (const [name, fields] of Object.entries(roots)) {
        if (Object.keys(fields).length === 0) environment.registerVariable(name, 'map');
        else environment.registerVariable({ name, schema: withNumbers(fields, numbers) });
      }
    });
  return (code) => {
    const asInt = attempt((made.int ??= create('int')), code);
    if ('type' in asInt) return asInt;
    const asDouble = attempt((made.double ??= create('double')), code);
    return 'type' in asDouble ? asDouble : asInt;
  };
}

function attempt(environment: Environment, code: string): Typed {
  const { valid, type, error } = environment.check(code);
  if (valid) return { type: String(type) };
  const wrong = toExpressionError('expression-syntax', error);
  return isChoice(wrong) ? { type: 'dyn' } : { error: wrong };
}
