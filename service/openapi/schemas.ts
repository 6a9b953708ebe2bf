import { z } from 'zod';
import { filters, selection } from '../../contracts/maps/selection.ts';

/** A JSON schema (draft 2020-12, which OpenAPI 3.1 is made of). */
export type JsonSchema = { [keyword: string]: unknown };

export type ObjectSchema = { properties: Readonly<Record<string, JsonSchema>>; required: readonly string[]; additionalProperties: boolean };

const selectionRef = { $ref: '#/components/schemas/Selection' };
const filterRef = { $ref: '#/components/schemas/Filter' };

/** What one schema is in JSON. What JSON has no form for is anything. */
const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: written }) {
      if (zodSchema !== selection) return;
      for (const keyword of Object.keys(written)) delete written[keyword as keyof typeof written];
      Object.assign(written, selectionRef);
    },
  });
  return made;
};

/** What a caller sends. */
export const inputOf = (schema: z.ZodType): JsonSchema => jsonSchema(schema, 'input');

const binary = { type: 'string', contentMediaType: 'application/octet-stream' };

/** Is a field of a form a file, or a list of files? */
export const holdsFile = (field: JsonSchema): boolean =>
  'contentMediaType' in field || (field['type'] === 'array' && holdsFile((field['items'] ?? {}) as JsonSchema));

const isAnything = (field: JsonSchema): boolean => Object.keys(field).length === 0;

/** A field of a form: a file where JSON has no form for it. */
const fieldOfForm = (field: JsonSchema): JsonSchema => {
  if (field['type'] === 'array') return { ...field, items: fieldOfForm((field['items'] ?? {}) as JsonSchema) };
  return isAnything(field) ? binary : field;
};

/** An object's fields. Those of a form are as they are behind its reading: a list of one part is written like one that is none. */
export const fieldsOf = (schema: z.ZodType, form: boolean): ObjectSchema => {
  const { properties = {}, required = [], additionalProperties } = inputOf(schema) as Partial<ObjectSchema>;
  const read = form ? ((jsonSchema(schema, 'output') as Partial<ObjectSchema>).properties ?? {}) : properties;
  return {
    properties: form
      ? Object.fromEntries(
          Object.entries(properties).map(([name, field]) => [name, fieldOfForm(isAnything(field) ? (read[name] ?? {}) : field)]),
        )
      : properties,
    required,
    additionalProperties: additionalProperties !== false,
  };
};

/** A parameter is text: it cannot be null, only left out. */
export const withoutNull = (schema: JsonSchema): JsonSchema => {
  const some = schema['anyOf'];
  if (!Array.isArray(some)) return schema;
  const others = (some as JsonSchema[]).filter(({ type }) => type !== 'null');
  const { anyOf: _, ...rest } = schema;
  return others.length === 1 ? { ...rest, ...others[0] } : { ...rest, anyOf: others };
};

/** The selection DSL, whose compositions nest to any depth. */
export const selectionSchemas = (): Record<string, JsonSchema> => {
  const made = Object.fromEntries(Object.entries(filters).map(([name, schema]) => [name, inputOf(schema)]));
  const composition = made['composition'] as JsonSchema & { properties: Record<string, JsonSchema> };
  const Selection = { ...composition, properties: { ...composition.properties, filters: { type: 'array', items: filterRef } } };
  return {
    Selection,
    Filter: { anyOf: [selectionRef, ...Object.entries(made).flatMap(([name, each]) => (name === 'composition' ? [] : [each]))] },
  };
};
