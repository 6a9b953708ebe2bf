import type { z } from 'zod';

/**
 * Reads zod schemas as data: which fields an object has, whether others are allowed. Only what findings,
 * references and the reference page need.
 */
type Def = {
  type: string;
  shape?: Record<string, z.ZodType>;
  catchall?: z.ZodType;
  innerType?: z.ZodType;
  options?: z.ZodType[];
  element?: z.ZodType;
  keyType?: z.ZodType;
  valueType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  getter?: () => z.ZodType;
  entries?: Record<string, string | number>;
};

export const def = (schema: z.ZodType): Def => schema._zod.def;

/** The schema without optional, default, nullable, lazy and the output side of pipes. */
export function bare(schema: z.ZodType): z.ZodType {
  const inner = def(schema);
  if (inner.innerType) return bare(inner.innerType);
  if (inner.type === 'lazy' && inner.getter) return bare(inner.getter());
  if (inner.type === 'pipe' && inner.in) return bare(inner.in);
  return schema;
}

/** Fields of an object schema; of a union the fields of all its objects. Undefined where anything is allowed. */
export function fields(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const inner = def(bare(schema));
  if (inner.type === 'object') return inner.shape;
  if (inner.type !== 'union') return undefined;
  const all = (inner.options ?? []).map(fields).filter((shape) => shape !== undefined);
  return all.length === 0 ? undefined : Object.assign({}, ...all);
}

/** An object that allows fields beyond those it names. */
const open = (schema: z.ZodType): boolean => {
  const catchall = def(schema).catchall;
  return catchall !== undefined && def(catchall).type !== 'never';
};

/** The schema at a path, or undefined where the schema does not say. */
export const at = (schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined =>
  path.reduce<z.ZodType | undefined>((current, key) => current && within(current, key), schema);

function within(schema: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  const plain = bare(schema);
  const inner = def(plain);
  if (inner.type === 'array') return inner.element;
  if (inner.type === 'record') return inner.valueType;
  const shape = fields(plain);
  if (shape && Object.hasOwn(shape, key)) return shape[key as string];
  // A list or names of one's own, where there are several forms.
  const form = inner.options?.find((option) => def(bare(option)).type === (typeof key === 'number' ? 'array' : 'record'));
  return form && within(form, key);
}

/** The first name of a path that a schema surely does not have, with what it has there. */
export function unknownName(schema: z.ZodType, path: readonly string[]): { index: number; known: string[] } | undefined {
  let current: z.ZodType | undefined = schema;
  for (const [index, key] of path.entries()) {
    const plain: z.ZodType = bare(current!);
    const shape = fields(plain);
    if (shape === undefined || open(plain)) return undefined;
    if (!Object.hasOwn(shape, key)) return { index, known: Object.keys(shape) };
    current = shape[key];
  }
  return undefined;
}

/** Defaults of the fields that an object leaves out. */
export function withDefaults(schema: z.ZodType, value: Record<string, unknown>): Record<string, unknown> {
  const shape = fields(schema) ?? {};
  const missing = Object.entries(shape).flatMap(([key, field]) => {
    if (Object.hasOwn(value, key)) return [];
    const parsed = field.safeParse(undefined);
    return parsed.success && parsed.data !== undefined ? [[key, parsed.data] as const] : [];
  });
  return { ...value, ...Object.fromEntries(missing) };
}
