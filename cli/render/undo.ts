import type { UndoForecast, UndoneStep } from '../../pipelines/forecast/undo.ts';
import type { Undo } from '../../runs/undo.ts';
import type { RunView } from '../../workflows/messages.ts';
import { plain, type Paint } from './paint.ts';
import { table } from './table.ts';

function undoneWords({ use, does, acts, unapproved }: UndoneStep, paint: Paint): string {
  const accept = unapproved.map((id) => ` --accept ${id}`).join('');
  return `${does === use || does.startsWith(`${use},`) ? '' : `${use}: `}${plain(does)}${acts.length === 0 ? '' : ` ${paint.yellow(`(cannot be taken back${accept === '' ? '' : `:${accept}`})`)}`}`;
}

/** How the steps of a plan are taken back. */
export const renderPlannedUndo = ({ steps, none, onFailure }: UndoForecast, paint: Paint): string[] => [
  `undone ${onFailure ? 'by itself where the run fails, and ' : ''}by portolan undo RUN:`,
  ...steps.map((each) => `  ${each.step}: ${undoneWords(each, paint)}`),
  ...none.map((step) => `  ${step}: no way back`),
];

/** What an undo will do, said before it starts, in its order. */
export const renderUndo = ({ run, state }: RunView, steps: readonly UndoneStep[], stays: Undo['stays'], paint: Paint): string =>
  [
    ...(steps.length === 0
      ? []
      : [
          `undo of ${run} (${state}), the last step first\n`,
          table(
            steps.map((each) => [each.step, undoneWords(each, paint)]),
            [],
            '  ',
          ),
        ]),
    ...(stays.length === 0
      ? []
      : [
          'what stays\n',
          table(
            stays.map(({ step, why }) => [step, paint.dim(plain(why))]),
            [],
            '  ',
          ),
        ]),
  ].join('');
