import { sameName } from '../../text/same-name.ts';
import { identifier } from '../../text/sql.ts';
import { z } from 'zod';

/** Columns of a sweep's results with their types in Parquet, as DuckDB writes them. */
export type ResultColumns = Readonly<Record<string, string>>;

type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: unknown;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
};

/** Name of the column that holds the item's name. */
export const itemColumn = 'item';

/** A schema whose values fit no column. */
export class NoColumn extends Error {
  override readonly name = 'NoColumn';
}

/**
 * The columns that results of a schema make, the item's name first. Text, numbers, booleans, lists and objects with named fields fit;
 * fails with `NoColumn` for anything else.
 */
export function resultColumns(schema: z.ZodType): ResultColumns {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema;
  if (whole.type !== 'object' || !whole.properties) throw new NoColumn('result must be an object schema: z.object({ … })');
  const names = Object.keys(whole.properties);
  if (names.some((name) => name.toLowerCase() === itemColumn))
    throw new NoColumn(`result has a field '${itemColumn}', which is the column of the item's name; call it something else`);
  differ(names, 'result');
  const columns = Object.entries(whole.properties).map(([name, field]) => [name, columnType(field, `result.${name}`)]);
  return { [itemColumn]: 'VARCHAR', ...Object.fromEntries(columns) };
}

/** Fields become columns, or fields of one: the engine ignores case in their names. */
function differ(names: readonly string[], path: string): void {
  const twice = sameName(names);
  if (twice !== undefined) throw new NoColumn(`${path} has two fields '${twice}' when case is ignored; rename one of them`);
}

const scalars: Readonly<Record<string, string>> = { string: 'VARCHAR', integer: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' };

function columnType(schema: JsonSchema, path: string): string {
  // Null is the absence of a value in any column.
  const several = schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : undefined);
  const kinds = several?.filter(({ type }) => type !== 'null');
  if (kinds) {
    const types = new Set(kinds.map((kind) => columnType(kind, path)));
    if (types.size === 1) return [...types][0]!;
    throw new NoColumn(`${path} may be of several types (${[...types].join(', ')}); a column has one`);
  }
  const constants = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const named = Array.isArray(schema.type) ? undefined : schema.type;
  const type = named ?? (constants?.every((value) => typeof value === 'string') ? 'string' : undefined);
  if (type !== undefined && scalars[type]) return scalars[type];
  if (type === 'array' && schema.items) return `${columnType(schema.items, `${path}[]`)}[]`;
  const fields = Object.entries(schema.properties ?? {});
  if (type === 'object' && fields.length > 0) {
    differ(Object.keys(schema.properties!), path);
    return `STRUCT(${fields.map(([name, field]) => `${identifier(name)} ${columnType(field, `${path}.${name}`)}`).join(', ')})`;
  }
  throw new NoColumn(`${path} fits no column: text, numbers, booleans, lists and objects with named fields do`);
}
