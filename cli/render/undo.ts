import type { UndoForecast, UndoneStep } from '../../pipelines/forecast/undo.ts';
import type { StandsOn } from '../../runs/standing-on.ts';
import type { Undo } from '../../runs/undo.ts';
import type { RunView } from '../../workflows/messages.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';

function undoneWords({ use, does, acts, unapproved }: UndoneStep, paint: Paint): string {
  const accept = unapproved.map((id) => ` --accept ${id}`).join('');
  return `${does === use || does.startsWith(`${use},`) ? '' : `${use}: `}${plain(does)}${acts.length === 0 ? '' : ` ${paint.yellow(`(cannot be taken back${accept === '' ? '' : `:${accept}`})`)}`}`;
}

/** How the steps of a plan are taken back. */
export const renderPlannedUndo = ({ steps, none, stays, onFailure }: UndoForecast, paint: Paint): string[] => [
  `undone ${onFailure ? 'by itself where the run fails, and ' : ''}by portolan undo RUN:`,
  ...steps.map((each) => `  ${each.step}: ${undoneWords(each, paint)}`),
  ...none.map((step) => `  ${step}: no way back`),
  ...stays.map(({ step, why }) => `  ${step}: stays as it is: ${why}`),
];

type Said = { steps: readonly UndoneStep[]; stays: Undo['stays']; stands: readonly StandsOn[] };

/** What an undo will do, said before it starts, in its order; what stays done; and later runs that stand on what is taken back. */
export function renderUndo({ run, state }: RunView, { steps, stays, stands }: Said, paint: Paint): string {
  const part = (title: string, rows: string[][]): string => (rows.length === 0 ? '' : `${title}\n${table(rows, [], '  ')}`);
  return [
    part(
      `undo of ${run} (${state}), the last step first`,
      steps.map((each) => [each.step, undoneWords(each, paint)]),
    ),
    part(
      'what stays',
      stays.map(({ step, why }) => [step, paint.dim(plain(why))]),
    ),
    part(
      'what stands on it',
      stands.map((each) => [
        each.run,
        paint.yellow(`${each.state}, took over ${each.steps.join(', ')}: undo it first, or --accept ${each.run}`),
      ]),
    ),
  ].join('');
}
