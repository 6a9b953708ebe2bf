import type { z } from 'zod';
import { bare, def, fields } from '../file/schema-fields.ts';
import { expected } from '../file/expected.ts';
import { ids } from '../steps/ids.ts';

const integerLike = (schema: z.ZodType): string => {
  const { type } = def(schema);
  return type === 'int' ? 'number' : type;
};

/** Types that a schema may hold, in the words of JSON; undefined: any. */
function typesOf(schema: z.ZodType): Set<string> | undefined {
  const plain = bare(schema);
  const type = integerLike(plain);
  const inner = def(plain) as ReturnType<typeof def> & { values?: readonly unknown[] };
  if (type === 'union') {
    const all = (inner.options ?? []).map(typesOf);
    return all.includes(undefined) ? undefined : new Set(all.flatMap((types) => [...types!]));
  }
  if (type === 'literal') return new Set((inner.values ?? []).map((value) => typeof value));
  if (type === 'enum') return new Set(['string']);
  if (type === 'record') return new Set(['object']);
  return ['string', 'number', 'boolean', 'array', 'object', 'null'].includes(type) ? new Set([type]) : undefined;
}

const wordFor = (types: Set<string> | undefined): string =>
  [...(types ?? [])]
    .map((type) => ({ string: 'a text', number: 'a number', boolean: 'true or false', array: 'a list', object: 'fields' })[type] ?? type)
    .join(' or ');

/**
 * Why a value of one schema cannot be one of another, as far as schemas can say; undefined where it may be. What may be several things
 * is taken for the right one.
 */
export function misfit(given: z.ZodType, taken: z.ZodType): string | undefined {
  const from = typesOf(given);
  const to = typesOf(taken);
  if (from === undefined || to === undefined) return undefined;
  if ([...from].every((type) => !to.has(type))) return `${wordFor(from)}, expected ${expected(undefined, taken)}`;
  const [inner, outer] = [bare(given), bare(taken)].map(def) as [ReturnType<typeof def>, ReturnType<typeof def>];
  if (inner.element && outer.element) {
    const why = misfit(inner.element, outer.element);
    return why && `a list of another kind: an item is ${why}`;
  }
  if (inner.type === 'object' && outer.type === 'object') {
    const has = fields(given) ?? {};
    for (const [name, field] of Object.entries(outer.shape ?? {})) {
      if (!Object.hasOwn(has, name)) {
        if (!field.safeParse(undefined).success) return `fields without '${name}', expected ${expected(undefined, taken)}`;
        continue;
      }
      const why = misfit(has[name]!, field);
      if (why) return `fields of which '${name}' is ${why}`;
    }
  }
  return undefined;
}

const isId = (schema: z.ZodType): boolean => ['guid', 'uuid'].includes((bare(schema) as { format?: string }).format ?? '');

const articles: Readonly<Record<string, string>> = { dataset: 'a dataset', map: 'a map', index: 'an index' };

/** Why an output of a built-in step is not the id that a field takes: the id of something else, or none at all. */
export function otherId(given: z.ZodType, taken: z.ZodType): string | undefined {
  if (def(bare(given)).type !== 'string') return undefined;
  const wanted = ids.get(bare(taken))?.of;
  const is = ids.get(bare(given))?.of;
  // An operation takes an id without saying of what.
  if (wanted === undefined)
    return isId(taken) && is === undefined && !isId(given) ? `no id, expected ${expected(undefined, taken)}` : undefined;
  if (is === wanted) return undefined;
  return `${is === undefined ? 'no id' : `the id of ${articles[is]}`}, expected the id of ${articles[wanted]}`;
}

const jsonTypes: Readonly<Record<string, string>> = {
  int: 'number',
  double: 'number',
  string: 'string',
  bool: 'boolean',
  list: 'array',
  map: 'object',
};

/** The same for a type of CEL, where no schema is known. */
export function misfitOfType(type: string, taken: z.ZodType): string | undefined {
  const given = type.startsWith('$') ? 'object' : jsonTypes[type.replace(/<.*$/, '')];
  const to = typesOf(taken);
  return given === undefined || to === undefined || to.has(given)
    ? undefined
    : `${wordFor(new Set([given]))}, expected ${expected(undefined, taken)}`;
}
