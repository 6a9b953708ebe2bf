import { endsWithItsTurns, mustBeDone, possibleEnds } from '../../pipelines/ends.ts';
import { certainFields } from '../../pipelines/expressions/certain-fields.ts';
import { withName } from '../../pipelines/expressions/written-names.ts';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import { expressionsIn } from '../../pipelines/file/embedded-expressions.ts';
import type { FindingCode } from '../../pipelines/file/finding-codes.ts';
import { formatPath, help, type Finding, type Path } from '../../pipelines/file/findings.ts';
import { reach } from '../../pipelines/file/reach.ts';
import { placeInFile, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import { didYouMean, nearest } from '../../text/nearest.ts';
import type { Json } from '../../text/json.ts';
import type { Checked } from './check-files.ts';
import { noColumn } from './check-table-columns.ts';

/** The values of a loop that are computed for each of its rows, with their places. */
function computed(loop: PlanStep, plan: Pick<Plan, 'steps'>): { value: unknown; path: Path }[] {
  const body = plan.steps.filter((step) => step.in === loop.id && step.on === undefined);
  const ends = possibleEnds(body);
  return [
    ...body.flatMap((step) => {
      const place = placeInFile(plan, step.id);
      const unconditional = step.needs.every((need) => ends.get(need)?.size === 1 && ends.get(need)!.has('done'));
      if (!unconditional || ends.get(step.id)!.has('tolerated')) return [];
      const { when = true } = step;
      return [{ value: when, path: [...place, 'when'] }, ...(when === true ? [{ value: step.with, path: [...place, 'with'] }] : [])];
    }),
    { value: loop.each!.outputs, path: [...placeInFile(plan, loop.id), 'outputs'] },
  ];
}

/** Columns of the row that the steps of a loop cannot do without, and that its table does not have: then every row fails. */
export const checkRowFields = (step: string, plan: Pick<Plan, 'steps'>, columns: readonly string[], parsed: Checked): Finding[] =>
  withoutFields(
    plan.steps.find(({ id }) => id === step)!,
    plan,
    columns,
    parsed,
    {
      code: 'no-such-column',
      say: (field, as, near) => noColumn(`'${field}', which ${as}.${field} reads`, near, columns),
    },
  );

/** The same of loops whose items the file says itself: a list, a matrix, or a window of time. */
export const checkItemFields = (plan: Pick<Plan, 'steps'>, parsed: Checked): Finding[] =>
  plan.steps.flatMap((loop) => {
    const fields = loop.each && fieldsOfItems(loop.with as Items);
    if (!fields) return [];
    const there = fields.length === 0 ? 'they are no objects' : `they have ${fields.slice(0, 20).join(', ')}`;
    return withoutFields(loop, plan, fields, parsed, {
      code: 'no-such-field',
      say: (field, as) => `the items have no field '${field}', which ${as}.${field} reads${didYouMean(field, fields)}; ${there}`,
    });
  });

type Items = { items?: Json; matrix?: Json; window?: Json };

/** Fields that an item may have; undefined where the file does not say it, or where there is no item. */
function fieldsOfItems({ items, matrix, window }: Items): string[] | undefined {
  if (window !== undefined) return ['from', 'to'];
  if (matrix !== undefined) return typeof matrix === 'object' && matrix !== null ? Object.keys(matrix) : undefined;
  if (!Array.isArray(items) || items.length === 0 || items.some((item) => typeof item === 'string' && hasExpression(item)))
    return undefined;
  return [...new Set(items.flatMap((item) => (typeof item === 'object' && item !== null ? Object.keys(item) : [])))];
}

/** The fields that are missing, each with how it is called there. */
type Missing = { code: FindingCode; say: (field: string, as: string, near: string | undefined) => string };

function withoutFields(
  loop: PlanStep,
  plan: Pick<Plan, 'steps'>,
  fields: readonly string[],
  parsed: Checked,
  { code, say }: Missing,
): Finding[] {
  if (!loop.each || !endsWithItsTurns(loop) || !mustBeDone(loop.id, plan.steps)) return [];
  const { as } = loop.each;
  return computed(loop, plan).flatMap(({ value, path: base }) =>
    expressionsIn(value).flatMap(({ text, path }) =>
      certainFields(text, as).flatMap(({ field, offset }): Finding[] => {
        if (fields.includes(field)) return [];
        const place = [...base, ...path];
        // Where parameters were put in, the text of the file is another one.
        const inFile = reach(parsed.value, place) === text;
        const near = nearest(field, fields);
        const by = inFile && near !== undefined ? withName(text, offset, 0, near) : undefined;
        const remedy =
          fields.length === 0 ? `read ${as} itself` : `take one of these, or read what may be missing by ${as}.?${field}.orValue(…)`;
        return [
          {
            code,
            message: say(field, as, near),
            path: formatPath(place),
            ...parsed.locate.value(place, inFile ? offset : undefined),
            ...help(parsed.locate, place, { value: by }, remedy),
          },
        ];
      }),
    ),
  );
}
