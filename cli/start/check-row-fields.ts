import { endsWithItsTurns, mustBeDone, possibleEnds } from '../../pipelines/ends.ts';
import { certainFields } from '../../pipelines/expressions/certain-fields.ts';
import { withName } from '../../pipelines/expressions/written-names.ts';
import { expressionsIn } from '../../pipelines/file/embedded-expressions.ts';
import { formatPath, help, type Finding, type Path } from '../../pipelines/file/findings.ts';
import { reach } from '../../pipelines/file/reach.ts';
import { placeInFile, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import { nearest } from '../../text/nearest.ts';
import { noColumn, type CheckColumns } from './check-table-columns.ts';

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
export function checkRowFields(step: string, plan: Pick<Plan, 'steps'>, columns: readonly string[], parsed: CheckColumns): Finding[] {
  const loop = plan.steps.find(({ id }) => id === step)!;
  if (!loop.each || !endsWithItsTurns(loop) || !mustBeDone(step, plan.steps)) return [];
  const { as } = loop.each;
  return computed(loop, plan).flatMap(({ value, path: base }) =>
    expressionsIn(value).flatMap(({ text, path }) =>
      certainFields(text, as).flatMap(({ field, offset }): Finding[] => {
        if (columns.includes(field)) return [];
        const place = [...base, ...path];
        // Where parameters were put in, the text of the file is another one.
        const inFile = reach(parsed.value, place) === text;
        const near = nearest(field, columns);
        const by = inFile && near !== undefined ? withName(text, offset, 0, near) : undefined;
        return [
          {
            code: 'no-such-column',
            message: noColumn(`'${field}', which ${as}.${field} reads`, near, columns),
            path: formatPath(place),
            ...parsed.locate.value(place, inFile ? offset : undefined),
            ...help(parsed.locate, place, { value: by }, `take one of these, or read what may be missing by ${as}.?${field}.orValue(…)`),
          },
        ];
      }),
    ),
  );
}
