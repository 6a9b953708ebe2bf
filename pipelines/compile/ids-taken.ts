import type { z } from 'zod';
import type { Json } from '../../text/json.ts';
import { bare, fields } from '../file/schema-fields.ts';
import { written } from '../file/yaml/write.ts';
import type { Step } from '../step.ts';
import { ids } from '../steps/ids.ts';
import { idsOf, type Names } from './names.ts';

type Kind = NonNullable<Parameters<typeof idsOf>[0]>;

/** References to an id that other steps than the own one give. */
const idsOfOthers = (of: Kind, names: Names, own: PropertyKey | undefined): string[] =>
  idsOf(of, names).filter((reference) => reference.split('.')[1] !== own);

/** The reference that was meant by a text where an id is due: by the step of that name or slug, else by the only one there is. */
export function guessId(schema: z.ZodType, value: Json, names: Names, own: PropertyKey | undefined): Json | undefined {
  const of = ids.get(bare(schema))?.of;
  if (of === undefined || typeof value !== 'string') return undefined;
  const known = idsOfOthers(of, names, own);
  const named = known.find((reference) => reference.split('.')[1] === value);
  const code = named ?? known[0];
  return code === undefined ? undefined : `\${{ ${code} }}`;
}

type Giver = Pick<Step, 'output' | 'example'>;

/**
 * Of an id that no other step of the file gives, the step to be put above, with its example: a reference to a step that is not there would
 * be the next mistake. Undefined where there is one, and for what is no id.
 */
export function giverOf(
  schema: z.ZodType,
  { names, table, own }: { names: Names; table: Readonly<Record<string, Giver>>; own: PropertyKey | undefined },
): string | undefined {
  const of = ids.get(bare(schema))?.of;
  if (of === undefined || idsOfOthers(of, names, own).length > 0) return undefined;
  const gives = ({ output }: Giver): boolean => Object.values(fields(output) ?? {}).some((given) => ids.get(bare(given))?.of === of);
  const [use, step] = Object.entries(table).find(([, each]) => gives(each)) ?? [];
  return step && `no step of the file gives a ${of}: put above  ${of}: { use: ${use}, with: ${written(step.example as Json, true)} }`;
}
