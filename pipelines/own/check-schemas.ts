import type { z } from 'zod';
import { kindOf } from '../file/expected.ts';
import { formatPath, type Path } from '../file/findings.ts';
import { nowhere } from '../file/parse.ts';
import { check } from '../file/schema-findings.ts';
import { def } from '../file/schema-fields.ts';
import type { OwnCode } from './define.ts';

/** What is wrong with the schemas of an own step, or with a value in its file that is to fit them. `field`: the name by which it is found in the file. */
export type SchemaProblem = { problem: string; remedy: string; field: string };

/** A schema, or what stands where one is due, and by which fields it is reached. */
type Part = { path: Path; value: unknown };

const isSchema = (value: unknown): value is z.ZodType => typeof value === 'object' && value !== null && '_zod' in value;

/** Where zod keeps the schemas that another is made of, apart from fields; a schema is due in each that is there. */
const single = ['element', 'innerType', 'keyType', 'valueType', 'in', 'out', 'left', 'right'];
/** Those that may be left open. */
const perhaps = ['rest', 'catchall'];
const lists = ['options', 'items'];

/** What a schema is made of. A lazy one is made when it is used. */
function partsOf({ path, value }: { path: Path; value: z.ZodType }): Part[] {
  const inner = def(value) as ReturnType<typeof def> & Readonly<Record<string, unknown>>;
  const fields = Object.entries((inner['shape'] ?? {}) as object).map(([name, field]: [string, unknown]) => ({
    path: [...path, name],
    value: field,
  }));
  const held = [
    ...single.filter((key) => key in inner).map((key) => inner[key]),
    ...perhaps.flatMap((key) => inner[key] ?? []),
    ...lists.flatMap((key) => (Array.isArray(inner[key]) ? (inner[key] as unknown[]) : [])),
  ];
  return [...fields, ...held.map((part) => ({ path, value: part }))];
}

/** Every part of a schema, itself first; one that contains itself is gone through once. */
function allParts(whole: Part): Part[] {
  const all = [whole];
  const seen = new Set<unknown>();
  for (const { path, value } of all) {
    if (!isSchema(value) || seen.has(value)) continue;
    seen.add(value);
    all.push(...partsOf({ path, value }));
  }
  return all;
}

/** `z.array('string')`: the name of a type, where its schema is due. */
function notSchema({ path, value }: Part): SchemaProblem | undefined {
  if (isSchema(value)) return undefined;
  const meant = typeof value === 'string' && /^(string|number|boolean|int|date|unknown|any)$/.test(value) ? `z.${value}()` : undefined;
  return {
    problem: `'${formatPath(path)}' of the step is made of ${kindOf(value)}, where a zod schema is due`,
    remedy: `write ${meant ?? 'one, such as z.string()'}`,
    field: String(path.at(-1)),
  };
}

/** Types whose values are made of others: a default is what comes out of them, which only their code can judge. */
const made = ['pipe', 'transform', 'lazy', 'custom', 'catch', 'promise', 'success'];

/**
 * Why a value does not fit a schema. Code in a schema may ask what is so where the step runs, and not here: what it alone refuses, and
 * what it fails with, is no mistake of the file.
 */
function misfit(schema: z.ZodType, valueOf: () => unknown, of: string, literal?: true): { message: string; remedy?: string } | undefined {
  try {
    const value = valueOf();
    const { error } = schema.safeParse(value);
    if (error === undefined || error.issues.every(({ code }) => code === 'custom')) return undefined;
    return check({ value, schema, base: [], of, locate: nowhere, ...(literal && { literal }) })[0];
  } catch {
    return undefined;
  }
}

/** A default that its own schema refuses: zod gives it to the code as it stands. */
function wrongDefault({ path, value }: Part): SchemaProblem | undefined {
  if (!isSchema(value) || !['default', 'prefault'].includes(def(value).type)) return undefined;
  const { innerType } = def(value);
  if (
    innerType === undefined ||
    allParts({ path, value: innerType }).some((part) => isSchema(part.value) && made.includes(def(part.value).type))
  )
    return undefined;
  const wrong = misfit(innerType, () => (def(value) as { defaultValue?: unknown }).defaultValue, 'it', true);
  return (
    wrong && {
      problem: `the default of '${formatPath(path)}' of the step: ${wrong.message}`,
      remedy: 'write one that fits',
      field: String(path.at(-1)),
    }
  );
}

/** An example that its step would refuse. */
function wrongExample({ input, example }: OwnCode): SchemaProblem | undefined {
  const wrong = example && misfit(input, () => example, 'the input');
  return (
    wrong && { problem: `'example' of the step: ${wrong.message}`, remedy: wrong.remedy ?? 'write an input that fits', field: 'example' }
  );
}

/** The first thing that is wrong with the schemas of a step, their defaults and its example. */
export function checkSchemas(code: OwnCode): SchemaProblem | undefined {
  const schemas = Object.entries({
    input: code.input,
    ...('output' in code && { output: code.output }),
    ...('result' in code && { result: code.result }),
  });
  const parts = schemas.flatMap(([name, value]) => (value === undefined ? [] : allParts({ path: [name], value })));
  for (const find of [notSchema, wrongDefault])
    for (const part of parts) {
      const problem = find(part);
      if (problem) return problem;
    }
  return wrongExample(code);
}
