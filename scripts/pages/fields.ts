import { z } from 'zod';
import type { Schema } from '../../text/json-schema.ts';
import { code, table } from './markdown.ts';

/** Formats of texts that have a plainer word than their own. */
const formats: Readonly<Record<string, string>> = { guid: 'text', uri: 'URL' };

/** Most fields of a field that are named with its type; more stand on a page of their own. */
const mostNamed = 3;

/** A type in the words of the file; `named` are the schemas that others refer to, `within`: it is the type of a field of another. */
export function typeText(schema: Schema, named: Record<string, Schema>, within = false): string {
  const text = (inner: Schema): string => typeText(inner, named, within);
  if (schema.title !== undefined) return schema.title.toLowerCase();
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
  if (within && Object.keys(schema.properties ?? {}).length > mostNamed) return 'fields';
  if (schema.properties)
    return `{ ${Object.entries(schema.properties)
      .map(([name, inner]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${typeText(inner, named, true)}`)
      .join(', ')} }`;
  if (schema.type === 'object')
    return schema.additionalProperties &&
      typeof schema.additionalProperties === 'object' &&
      Object.keys(schema.additionalProperties).length > 0
      ? `name: ${text(schema.additionalProperties)}`
      : 'fields';
  if (schema.type === 'integer') return range('whole number', schema);
  if (schema.type === 'string') return formats[schema.format ?? ''] ?? schema.format ?? 'text';
  return typeof schema.type === 'string' ? range(schema.type, schema) : 'any';
}

const range = (word: string, { minimum, maximum }: Schema): string => {
  const [from, to] = [minimum, maximum].map((bound) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound,
  );
  if (from !== undefined && to !== undefined) return `${word} ${from}–${to}`;
  return from === undefined ? word : `${word} ≥ ${from}`;
};

const defaultOf = ({ default: preset }: Schema): string => (preset === undefined ? '' : code(JSON.stringify(preset)));

/** A row for each field of an object: name, type, default (of an input), what it is for. `typeOf` says the type of a field. */
export const fieldRows = (
  { properties = {}, required = [] }: Schema,
  io: 'input' | 'output',
  typeOf: (field: Schema, name: string) => string,
): string[][] =>
  Object.entries(properties).map(([name, field]) => [
    code(name),
    typeOf(field, name),
    ...(io === 'input' ? [required.includes(name) ? 'required' : defaultOf(field)] : []),
    (field.description ?? '').replace(/ @default (.*)$/, ' Default: $1.'),
  ]);

/** The rows as a table. */
export const rowsTable = (rows: readonly (readonly string[])[], io: 'input' | 'output'): string =>
  rows.length === 0 ? 'None.\n' : table(io === 'input' ? ['field', 'type', 'default', ''] : ['field', 'type', ''], rows);

/** The fields of an object's schema as a table. */
export function fieldsTable(schema: z.ZodType, io: 'input' | 'output'): string {
  const fields = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  const { $defs = {} } = fields;
  // What stands in several places is a reference there, its words too.
  const properties = Object.fromEntries(
    Object.entries(fields.properties ?? {}).map(([name, field]) => [
      name,
      { ...$defs[field.$ref?.replace('#/$defs/', '') ?? ''], ...field },
    ]),
  );
  return rowsTable(
    fieldRows({ ...fields, properties }, io, (field) => typeText(field, $defs)),
    io,
  );
}
