import { stringify } from 'yaml';
import { z } from 'zod';
import { operations } from '../../contracts/index.ts';
import { functions, methods, comprehensions } from '../expressions/functions.ts';
import { param, paramTypes, pipelineFile, step as fileStep } from '../file/schema.ts';
import type { Step } from '../step.ts';

/** The part of JSON Schema that zod writes of our schemas. */
export type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  default?: unknown;
  format?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
  minimum?: number;
  maximum?: number;
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |\n`).join('');
const code = (text: string): string => `\`${text}\``;

/** A type in the words of the file; `named` are the schemas that others refer to. */
function typeText(schema: Schema, named: Record<string, Schema>): string {
  const text = (inner: Schema): string => typeText(inner, named);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(text))].join(' or ');
  if (schema.$ref !== undefined) {
    const { [schema.$ref.replace('#/$defs/', '')]: target, ...others } = named;
    return target ? typeText(target, others) : 'the same again';
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => text({ ...schema, type })).join(' or ');
  if (schema.type === 'array') return `list of ${text(schema.items ?? {})}`;
  if (schema.properties)
    return `{ ${Object.entries(schema.properties)
      .map(([name, inner]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${text(inner)}`)
      .join(', ')} }`;
  if (schema.type === 'object')
    return schema.additionalProperties &&
      typeof schema.additionalProperties === 'object' &&
      Object.keys(schema.additionalProperties).length > 0
      ? `name: ${text(schema.additionalProperties)}`
      : 'fields';
  if (schema.type === 'integer') return range('whole number', schema);
  if (schema.type === 'string') return schema.format === undefined || schema.format === 'guid' ? 'text' : schema.format;
  return typeof schema.type === 'string' ? range(schema.type, schema) : 'any';
}

const range = (word: string, { minimum, maximum }: Schema): string => {
  const [from, to] = [minimum, maximum].map((bound) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound,
  );
  if (from !== undefined && to !== undefined) return `${word} ${from}–${to}`;
  return from === undefined ? word : `${word} ≥ ${from}`;
};

function fieldsTable(schema: z.ZodType, io: 'input' | 'output'): string {
  const { properties = {}, required = [], $defs = {} } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  const rows = Object.entries(properties).map(([name, inner]) => [
    code(name),
    typeText(inner, $defs),
    ...(io === 'input'
      ? [required.includes(name) ? 'required' : inner.default === undefined ? '' : code(JSON.stringify(inner.default))]
      : []),
    inner.description ?? '',
  ]);
  return rows.length === 0 ? 'None.\n' : table(io === 'input' ? ['field', 'type', 'default', ''] : ['field', 'type', ''], rows);
}

const kinds: Readonly<Record<Step['kind'], string>> = {
  call: 'one activity',
  sweep: 'items in chunks',
  poll: 'started once, then looked at until done; a long wait holds no slot',
  gate: 'a person decides',
};

function stepSection(step: Step): string {
  const id = step.name.replace(/^.*\./, '');
  const calls =
    step.operations.length > 12
      ? `any of ${Object.keys(operations).length} operations (operations.md)`
      : step.operations.map(code).join(', ');
  return [
    `\n## ${step.name}\n\n${step.summary}\n\n`,
    `Kind: ${step.kind}, ${kinds[step.kind]}. Effect: ${step.effect}${step.irreversible ? '; cannot be taken back, so it needs an approval' : ''}.${calls === '' ? '' : ` Calls: ${calls}.`}\n`,
    `\n${code('with')}\n\n${fieldsTable(step.input, 'input')}`,
    `\nOutput: ${code(`\${{ steps.${id}.… }}`)}\n\n${fieldsTable(step.output, 'output')}`,
    `\n\`\`\`yaml\n${stringify({ [id]: { use: step.name, with: step.example } }, { lineWidth: 0 })}\`\`\`\n`,
  ].join('');
}

/** The reference of pipeline files in Markdown: fields of the file, expressions, and every step. Derived from what `validate` checks. */
export const referencePage = (steps: Readonly<Record<string, Step>>): string =>
  [
    '# Pipeline files\n\n',
    'A pipeline is a YAML or JSON file, or a module (`.mts`) whose default export is `definePipeline({ … })`. At most 1 MiB.\n\n## The file\n\n',
    fieldsTable(pipelineFile, 'input'),
    '\n### A step\n\n',
    fieldsTable(fileStep, 'input'),
    `\n### A parameter\n\nTypes: ${paramTypes.map(code).join(', ')}.\n\n`,
    fieldsTable(param, 'input'),
    '\n## Expressions\n\n',
    '`${{ … }}` holds an expression of the Common Expression Language (CEL). A value that is exactly one expression takes its value, of any type; in other text the value is put in as text. Inside `{ }` or `[ ]`, or with `: ` or ` #` in it, YAML needs it quoted.\n\n',
    table(
      ['name', 'is'],
      [
        ['`params.NAME`', 'a parameter'],
        ['`steps.ID.OUTPUT`', 'an output of a step; the step that uses it waits for that one'],
        ['`run.id`, `run.pipeline`', 'the run'],
      ],
    ),
    `\nFunctions: ${Object.keys(functions)
      .map((name) => code(`${name}()`))
      .join(', ')}. Methods: ${[...Object.keys(methods), ...Object.keys(comprehensions)].map((name) => code(`.${name}()`)).join(', ')}. `,
    'Operators: `+ - * / %`, `== != < <= > >=`, `in`, `&& || !`, `a ? b : c`, and `.?` for a field that may be missing (`steps.x.?y.orValue(0)`). Comprehensions do not nest. Whole numbers of JSON are integers: `7 / 2` is 3, `7 / 2.0` is 3.5. A result beyond ±2^53, infinite, or not plain JSON fails the run as `expression-result`.\n\n',
    '## Steps\n\n',
    table(
      ['step', 'does', 'kind', 'effect'],
      Object.values(steps).map(({ name, summary, kind, effect }) => [
        `[${code(name)}](#${name.replaceAll('.', '')})`,
        summary,
        kind,
        effect,
      ]),
    ),
    ...Object.values(steps).map(stepSection),
  ].join('');
