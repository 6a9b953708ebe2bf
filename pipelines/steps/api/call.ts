import { z } from 'zod';
import { sayDeprecated } from '../../../contracts/deprecated.ts';
import type { Endpoint } from '../../../contracts/endpoint.ts';
import { isOperation, operations } from '../../../contracts/index.ts';
import { secretName } from '../../../text/secret-name.ts';
import { define } from '../../step.ts';
import { short } from '../timeouts.ts';

export const definition = define({
  name: 'api.call',
  summary: 'Call any operation by its name; retried by the effect class of the operation.',
  kind: 'call',
  effect: 'never',
  // Those of a file are the one that it names.
  operations: [],
  timeouts: short,
  input: z.strictObject({
    operation: z
      .string()
      .refine(isOperation, { error: 'not an operation: see portolan docs operations' })
      .describe('Name such as maps.projects.get.'),
    input: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Input of the operation, as its contract says; of one that sends a form, `{ file: PATH }` is a file.'),
    extra: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields beside those of the contract, sent as they are: for a service that knows more than its text.'),
    secret: z
      .string()
      .regex(secretName.pattern, secretName.rule)
      .optional()
      .describe('Name under which a secret of the answer is kept in .portolan/secrets; default: that of the run and the step.'),
  }),
  output: z.object({
    result: z
      .unknown()
      .describe('Answer of the operation, as its contract says; of one that answers bytes the file that holds them: file, bytes, sha256.'),
  }),
  forecast: (input) => {
    const operation = input?.operation;
    if (operation === undefined || !isOperation(operation)) return { does: 'one call', calls: [] };
    const { summary, irreversible, deprecated }: Endpoint = operations[operation];
    return {
      does: `${summary}${beside(input?.extra)}${deprecated ? ` (${sayDeprecated(deprecated)})` : ''}`,
      calls: [{ operation, min: 1, max: 1 }],
      ...(irreversible ? { acts: [{ kind: operation, most: 1, says: `${operation}: ${summary}` }] } : {}),
    };
  },
  example: { operation: 'maps.projects.list', input: {} },
});

const beside = (extra: Readonly<Record<string, unknown>> = {}): string => {
  const names = Object.keys(extra);
  return names.length === 0 ? '' : ` (with fields that its text does not name: ${names.join(', ')})`;
};
