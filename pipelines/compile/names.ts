import { z } from 'zod';
import type { param } from '../file/schema.ts';
import type { TypedFields } from '../expressions/typed.ts';
import { ids } from '../steps/ids.ts';
import { slugPattern } from '../../text/slug.ts';
import { at, bare, fields } from '../file/schema-fields.ts';
import type { StepOrLoop } from '../step.ts';

/** What an expression may name: parameters of the file, steps beside it and around it, and items, each with what it is where that is known. */
export type Names = {
  params: ReadonlyMap<string, z.output<typeof param> | undefined>;
  steps: ReadonlyMap<string, StepOrLoop | undefined>;
  /** Of the steps those that stand beside it: one of them may be needed. */
  siblings: ReadonlySet<string>;
  items: ReadonlySet<string>;
  /** Of every step of the file that stands in a loop: which one; of one that is done about failures of another: which, and of which class. */
  owners: ReadonlyMap<string, { of: string; on?: string }>;
  /** Fields of the run: of one with a schedule when it is due, and its window. */
  run: TypedFields;
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
export const outputsOf = (step: StepOrLoop): [name: string, schema: z.ZodType][] => Object.entries(fields(step.output) ?? {});

/** References to the id of a dataset, map or index, those of the steps above first from below. */
export const idsOf = (of: 'dataset' | 'map' | 'index', { steps }: Names): string[] =>
  [...steps].flatMap(([id, step]) =>
    step === undefined
      ? []
      : outputsOf(step)
          .filter(([, schema]) => ids.get(bare(schema))?.of === of)
          .map(([name]) => `steps.${id}.${name}`),
  );
