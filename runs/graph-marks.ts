import { idInPlan } from '../pipelines/id-in-plan.ts';
import type { Mark } from '../pipelines/graph/graph.ts';
import { possibleEnds } from '../pipelines/ends.ts';
import type { PlanStep } from '../pipelines/plan.ts';
import type { RunView, StepView } from '../workflows/messages.ts';
import { cost } from '../text/money.ts';
import { counted, number } from '../text/units.ts';
import { countWords, doneIn } from './count-words.ts';
import { skipWords } from './skip-words.ts';

/**
 * How far each step of the plan is in a run, by its id. A step in a loop stands for its turns that are under way, and once all of them
 * have ended well for all.
 */
export function graphMarks({ steps }: RunView, planned: readonly PlanStep[] = []): Map<string, Mark> {
  const byPlan = Map.groupBy(steps, ({ id }) => idInPlan(id));
  return new Map([
    ...marksOfEnded(steps, planned),
    ...[...byPlan].map(([id, views]): [string, Mark] => [id, views.length === 1 ? markOf(views[0]!) : markOfTurns(views)]),
  ]);
}

/** Steps of loops of which every turn is done, and that are done in each: nothing skips them. The view has them no more. */
function marksOfEnded(steps: readonly StepView[], planned: readonly PlanStep[]): [string, Mark][] {
  const ends = possibleEnds(planned);
  return planned.flatMap(({ id, in: around, on }): [string, Mark][] => {
    const { status, loop } = steps.find((step) => step.id === around) ?? {};
    const always = ends.get(id)!.size === 1 && ends.get(id)!.has('done');
    if (on !== undefined || !always || status !== 'done' || !loop || loop.failed > 0 || loop.done === 0) return [];
    return [[id, { status: 'done', note: `${counted(loop.done, 'turn')} done` }]];
  });
}

function markOf(step: StepView): Mark {
  const note = noteOf(step);
  return { status: step.status, ...(note === undefined ? {} : { note }) };
}

function noteOf({ status, loop, counts = {}, costUsd, skipped, retries, turn, reusedFrom }: StepView): string | undefined {
  if (reusedFrom !== undefined) return `reused from ${reusedFrom}`;
  if (status === 'skipped') return skipWords(skipped);
  if (loop) {
    const failed = loop.failed > 0 ? `, ${number(loop.failed)} failed` : '';
    return `${number(loop.done)}${loop.items === undefined ? '' : ` of ${number(loop.items)}`} done${failed}`;
  }
  if (retries) return `try ${retries.now} of ${retries.of}`;
  if (turn) return '1 turn under way';
  const done = doneIn(counts);
  const words = [...(done > 0 ? [`${number(done)} done`] : []), ...countWords(counts), ...(costUsd === undefined ? [] : [cost(costUsd)])];
  return words.length === 0 ? undefined : words.join(', ');
}

/** What most needs to be seen comes first. */
const loudest = [
  'failed',
  'approval',
  'running',
  'tolerated',
  'cancelled',
  'done',
  'skipped',
  'waiting',
] as const satisfies readonly Mark['status'][];

function markOfTurns(views: readonly StepView[]): Mark {
  const status = loudest.find((each) => views.some((view) => view.status === each))!;
  return { status, note: `${counted(views.length, 'turn')} under way` };
}
