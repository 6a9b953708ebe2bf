import { z } from 'zod';
import { stringify } from 'yaml';
import type { Schema } from '../../text/json-schema.ts';
import { isIrreversible } from '../../pipelines/acts.ts';
import type { Definition, Kind } from '../../pipelines/step.ts';
import { operations } from '../../contracts/index.ts';
import { table } from './table.ts';
import { duration } from '../../text/units.ts';

/** What is shown of a step, built-in or own. */
export type ShownStep = Pick<
  Definition<z.ZodType, z.ZodType, Kind>,
  'name' | 'summary' | 'kind' | 'effect' | 'forecast' | 'operations' | 'input' | 'output' | 'timeouts' | 'example'
>;

const typeWord = (schema: Schema): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeWord).join(' | ');
  if (schema.$ref) return 'nested';
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  if (schema.type === 'array') return `list of ${typeWord(schema.items ?? {})}`;
  if (schema.properties)
    return `{ ${Object.entries(schema.properties)
      .map(([name, inner]) => `${name}: ${typeWord(inner)}`)
      .join(', ')} }`;
  return schema.format && schema.type === 'string' ? schema.format : (schema.type ?? 'any');
};

const fields = (schema: z.ZodType, io: 'input' | 'output'): string => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  const rows = Object.entries(properties).map(([name, inner]) => {
    const type = typeWord(inner);
    const usual = inner.default === undefined ? '' : ` Default ${JSON.stringify(inner.default)}.`;
    return [
      `${name}${io === 'input' && !required.includes(name) ? '?' : ''}`,
      type.length > 48 ? 'see the reference' : type,
      `${inner.description ?? ''}${usual}`.trim(),
    ];
  });
  return rows.length === 0 ? '  none\n' : table(rows, [], '  ');
};

/** Every step in one line. */
export const stepTable = (steps: readonly ShownStep[]): string => table(steps.map(({ name, kind, summary }) => [name, kind, summary]));

/** One step in full, with an example that can be pasted. */
export const stepPage = (step: ShownStep): string =>
  [
    `${step.name}: ${step.summary}\n`,
    `  kind ${step.kind} · effect ${step.effect}${isIrreversible(step) ? ' · cannot be taken back' : ''}${step.timeouts.deadlineMs > 0 ? ` · gives up after ${duration(step.timeouts.pollMs ?? step.timeouts.deadlineMs)}` : ''}\n`,
    step.operations.length === 0
      ? ''
      : `  calls ${step.operations.length > 12 ? `any of ${Object.keys(operations).length} operations (portolan call)` : step.operations.join(', ')}\n`,
    `input\n${fields(step.input, 'input')}`,
    `output\n${fields(step.output, 'output')}`,
    `example\n${stringify({ [step.name.replace(/^.*\./, '')]: { use: step.name, with: step.example } }).replace(/^(?=.)/gm, '  ')}`,
  ].join('');
