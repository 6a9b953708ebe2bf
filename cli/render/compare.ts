import { verdicts, type Compared, type ComparedCall, type ComparedStep } from '../../runs/compare.ts';
import { counted, number } from '../../text/units.ts';
import { atMost } from './acts.ts';
import { interval } from './forecast.ts';
import type { Look } from './look.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';

const about = ({ reusedFrom, status }: ComparedStep): string =>
  reusedFrom !== undefined ? `reused from ${reusedFrom}` : status === 'done' ? '' : status;

/** What was planned of a run against what it sent, by step and operation, and what it did that cannot be taken back. */
export function renderCompared({ run, state, steps, acts, outside }: Compared, { paint }: Look): string {
  const marked = (text: string, is: ComparedCall['is']): string => (is === 'within' ? text : paint.red(text));
  const rows = steps.flatMap((step) => [
    [paint.bold(plain(step.id)), '', '', plain(about(step))],
    ...step.calls.map((call) => [
      `  ${call.operation}`,
      call.max === null ? `≥ ${number(call.min)}, unknown` : interval([call.min, call.max]),
      marked(number(call.sent), call.is),
      marked(verdicts[call.is], call.is),
    ]),
  ]);
  const done = acts.map((act) => [
    `  ${plain(act.step)}: ${plain(act.kind)}`,
    atMost(act.most),
    marked(number(act.done), act.is),
    marked(verdicts[act.is], act.is),
  ]);
  const entries = counted(
    steps.reduce((sum, { calls }) => sum + calls.length, acts.length),
    'number',
  );
  return [
    `${paint.bold(plain(run))}  ${state}: planned against sent\n`,
    table([['step', 'planned', 'sent', ''], ...rows], ['left', 'right', 'right'], '  '),
    ...(acts.length === 0
      ? []
      : [paint.red('cannot be taken back\n'), table([['', 'planned', 'done', ''], ...done], ['left', 'right', 'right'], '  ')]),
    outside === 0 ? `all of ${entries} within the plan\n` : paint.red(`${outside} of ${entries} outside the plan\n`),
  ].join('');
}
