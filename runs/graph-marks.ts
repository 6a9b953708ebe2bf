import type { Mark } from '../pipelines/graph/graph.ts';
import type { RunView, StepView } from '../workflows/messages.ts';
import { cost } from '../text/money.ts';
import { counted, number } from '../text/units.ts';
import { countWords, doneIn } from './count-words.ts';
import { skipWords } from './skip-words.ts';

/** How far each step of the plan is in a run, by its id. A step in a loop stands for its turns that are under way. */
export function graphMarks({ steps }: RunView): Map<string, Mark> {
  const byPlan = Map.groupBy(steps, ({ id }) => id.slice(id.lastIndexOf('.') + 1));
  return new Map([...byPlan].map(([id, views]) => [id, views.length === 1 ? markOf(views[0]!) : markOfTurns(views)]));
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
