import type { z } from 'zod';
import { BadInput } from '../../errors/classes.ts';
import { nowhere } from '../../pipelines/file/parse.ts';
import { reach } from '../../pipelines/file/reach.ts';
import { check } from '../../pipelines/file/schema-findings.ts';
import type { Step } from '../../pipelines/step.ts';
import type { Json } from '../../text/json.ts';
import { clauses } from '../../text/clauses.ts';

/** Characters of a value that a message shows. */
const mostShown = 80;

/** The texts that do not fit: a rule says what it asks for, not what was there. */
const madeOf = (input: Json, { issues }: z.ZodError): string[] =>
  issues.flatMap(({ path }) => {
    const value = reach(input, path);
    if (typeof value !== 'string') return [];
    const text = JSON.stringify(value);
    return `${path.join('.')} is ${text.length > mostShown ? `${text.slice(0, mostShown)} …` : text} in this run`;
  });

/**
 * The input of a step, its expressions being values by now. Fails with `BadInput` in the words that `validate` has for what a file says
 * itself: field, rule, and the value that was made.
 */
export async function fittingInput({ name, input: schema, example }: Step, input: Json): Promise<any> {
  const fitted = await schema.safeParseAsync(input);
  if (fitted.success) return fitted.data;
  const findings = check({ value: input, schema, base: [], of: name, locate: nowhere, example });
  // A text with the signs of an expression is taken to be one there.
  const said =
    findings.length > 0 ? findings : fitted.error.issues.map(({ path, message }) => ({ message: `'${path.join('.')}': ${message}` }));
  throw new BadInput('bad_input', clauses([...said.map(({ message }) => message), ...madeOf(input, fitted.error)]));
}
