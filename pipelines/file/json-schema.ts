import { z } from 'zod';
import { errorClassNames } from '../error-classes.ts';
import { loop, pipelineFile, reactionForms, reactionWords, step as fileStep, undoForms } from './schema.ts';
import type { Step } from '../step.ts';

type Schema = { [name: string]: unknown };

/** In an editor an expression may stand wherever a value is not a text anyway. */
const expression: Schema = {
  type: 'string',
  pattern: '\\$\\{\\{',
  description: 'An expression: ${{ params.NAME }} or ${{ steps.ID.OUTPUT }}',
};

/**
 * JSON Schema of a pipeline file for editors: `use` decides what `with` takes. Draft 2020-12, with the steps
 * that are given; own steps of a project can be added.
 */
export function pipelineJsonSchema(table: Readonly<Record<string, Step>>): Schema {
  const { $schema, $defs: _, ...file } = z.toJSONSchema(pipelineFile, { io: 'input', unrepresentable: 'any' }) as Schema;
  const $defs: Schema = {};
  const branches = Object.values(table).map((step) => {
    $defs[step.name] = inputSchema(step, $defs);
    return {
      if: { properties: { use: { const: step.name } }, required: ['use'] },
      then: { properties: { with: { $ref: `#/$defs/${step.name}` } } },
    };
  });
  const block: Schema = { type: 'object', additionalProperties: { anyOf: [{ $ref: '#/$defs/step' }, { $ref: '#/$defs/loop' }] } };
  const ofStep = { onError, use: useSchema(table) };
  $defs['step'] = { ...withProperties(fileStep, { ...ofStep, undo }), allOf: branches };
  const { steps: turns } = plainSchema(loop)['properties'] as { steps: Schema };
  const ofLoop = { onError, steps: { ...block, description: turns['description'] } };
  $defs['loop'] = withProperties(loop, { ...ofLoop, undo });
  const { undoStep, undoLoop } = undoForms;
  $defs['undo'] = {
    anyOf: [{ const: 'none' }, { ...withProperties(undoStep, ofStep), allOf: branches }, withProperties(undoLoop, ofLoop)],
  };
  const { retried, handled } = reactionForms;
  $defs['reaction'] = { anyOf: [{ enum: reactionWords }, plainSchema(retried), withProperties(handled, { steps: block })] };
  const properties = file['properties'] as { [name: string]: Schema };
  for (const part of ['steps', 'finally']) properties[part] = { ...block, description: properties[part]!['description'] };
  return { $schema, title: 'Portolan pipeline', ...file, $defs };
}

/** What is done about failures, by their class. */
const onError: Schema = {
  description: fileStep.shape.onError.description,
  anyOf: [
    { enum: reactionWords },
    {
      type: 'object',
      properties: Object.fromEntries([...errorClassNames, 'else'].map((name) => [name, { $ref: '#/$defs/reaction' }])),
      additionalProperties: false,
    },
  ],
};

/** What takes a step back. */
const undo: Schema = { description: fileStep.shape.undo.description, $ref: '#/$defs/undo' };

/** A part of the file, some of its fields as they are named here. */
function withProperties(part: z.ZodType, fields: Schema): Schema {
  const plain = plainSchema(part);
  return { ...plain, properties: { ...(plain['properties'] as Schema), ...fields } };
}

/** A part of the file without what it would name of the others. */
function plainSchema(part: z.ZodType): Schema {
  const { $schema: _, $defs: __, ...plain } = z.toJSONSchema(part, { io: 'input', unrepresentable: 'any' }) as Schema;
  return plain;
}

/** Names with their summaries; another name is allowed, since a project may have steps of its own. */
const useSchema = (steps: Readonly<Record<string, Step>>): Schema => ({
  description: fileStep.shape.use.description,
  anyOf: [
    ...Object.values(steps).map(({ name, summary }) => ({ const: name, description: summary })),
    { type: 'string', pattern: '^[a-z][a-z0-9-]*\\.[a-z][a-z0-9-]*$' },
    { type: 'string', pattern: '^\\.{0,2}/', description: 'The path of another pipeline file, from the folder of this one.' },
  ],
});

/** The input of a step; definitions that it needs go up to the document, under names of their own. */
function inputSchema(step: Step, $defs: Schema): Schema {
  const {
    $schema: _,
    $defs: inner = {},
    ...input
  } = z.toJSONSchema(step.input, { io: 'input', unrepresentable: 'any' }) as Schema & { $defs?: Schema };
  const renamed = (text: string): string => text.replaceAll('"#/$defs/', `"#/$defs/${step.name}/`.replace(/\/$/, '.'));
  for (const [name, schema] of Object.entries(inner))
    $defs[`${step.name}.${name}`] = orExpression(JSON.parse(renamed(JSON.stringify(schema))) as Schema);
  const root = JSON.parse(renamed(JSON.stringify(input))) as Schema;
  return withExpressions(root);
}

/** Every place of a schema that takes something other than text also takes an expression. */
function orExpression(schema: Schema): Schema {
  if ('$ref' in schema || Object.keys(schema).length === 0) return schema;
  const inner = withExpressions(schema);
  const free = schema['type'] === 'string' && !('pattern' in schema) && !('format' in schema) && !('enum' in schema);
  if (free) return inner;
  const { description, default: preset, ...rest } = inner;
  return {
    ...(description === undefined ? {} : { description }),
    ...(preset === undefined ? {} : { default: preset }),
    anyOf: [rest, expression],
  };
}

const mapValues = (value: Schema, change: (schema: Schema) => Schema): Schema =>
  Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, change(schema as Schema)]));
const isSchema = (value: unknown): value is Schema => value !== null && typeof value === 'object' && !Array.isArray(value);

function withExpressions(schema: Schema): Schema {
  const changed: Schema = { ...schema };
  if (isSchema(schema['properties'])) changed['properties'] = mapValues(schema['properties'], orExpression);
  for (const key of ['items', 'additionalProperties']) if (isSchema(schema[key])) changed[key] = orExpression(schema[key]);
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    if (Array.isArray(schema[key])) changed[key] = (schema[key] as Schema[]).map(withExpressions);
  return changed;
}
