import { z } from 'zod';
import type { param } from '../file/schema.ts';
import { ids } from '../steps/ids.ts';
import { slugPattern } from '../../text/slug.ts';
import { at, bare, fields } from '../file/schema-fields.ts';
import type { Step } from '../step.ts';

/** What an expression may name: parameters and steps of the file, each with what it is where that is known. */
export type Names = {
  params: ReadonlyMap<string, z.output<typeof param> | undefined>;
  steps: ReadonlyMap<string, Step | undefined>;
};

/** What a parameter of a type is. */
export const schemaOfParam: Readonly<Record<z.output<typeof param>['type'], z.ZodType>> = {
  path: z.string(),
  slug: z.string().regex(slugPattern),
  string: z.string(),
  integer: z.int(),
  number: z.number(),
  boolean: z.boolean(),
};

/** What a reference such as `steps.map.id` gives; undefined where nobody knows, or where it is more than a reference. */
export function schemaOf(code: string, { params, steps }: Names): z.ZodType | undefined {
  const [root, name = '', ...path] = /^\w+(\.\w+)+$/.test(code) ? code.split('.') : [];
  if (root === 'params' && path.length === 0) {
    const type = params.get(name)?.type;
    return type && schemaOfParam[type];
  }
  const step = root === 'steps' ? steps.get(name) : undefined;
  return step && at(step.output, path);
}

/** Outputs of a step by their names. */
export const outputsOf = (step: Step): [name: string, schema: z.ZodType][] => Object.entries(fields(step.output) ?? {});

/** References to the id of a dataset, map or index, those of the steps above first from below. */
export const idsOf = (of: 'dataset' | 'map' | 'index', { steps }: Names): string[] =>
  [...steps].flatMap(([id, step]) =>
    step === undefined
      ? []
      : outputsOf(step)
          .filter(([, schema]) => ids.get(bare(schema))?.of === of)
          .map(([name]) => `steps.${id}.${name}`),
  );
