import { verdicts, type Compared, type ComparedCall, type ComparedStep, type Turns } from '../../runs/compare.ts';
import { counted, number } from '../../text/units.ts';
import { atMost } from './acts.ts';
import { interval } from './forecast.ts';
import type { Look } from './look.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';

const about = ({ reusedFrom, status, runs, turns }: ComparedStep): string =>
  [
    reusedFrom !== undefined ? `reused from ${reusedFrom}` : status === 'done' ? '' : status,
    turns ? turnWords(turns) : '',
    runs ? `${turns ? 'each' : 'it is'} a run of its own, not compared here` : '',
  ]
    .filter(Boolean)
    .join(', ');

const turnWords = ({ of, done, failed, items }: Turns): string =>
  `${number(done)}${items === undefined ? '' : ` of ${number(items)}`} turns of ${plain(of)} done${failed > 0 ? `, ${number(failed)} failed` : ''}`;

/** Where nothing could be compared nothing is as planned. */
const verdictOf = (entries: number, outside: number, { paint }: Look): string => {
  const all = counted(entries, 'number');
  if (entries === 0) return 'nothing was compared: no step of this run itself was to send anything, and none has\n';
  return outside === 0 ? `all of ${all} within the plan\n` : paint.red(`${outside} of ${all} outside the plan\n`);
};

/** What was planned of a run against what it sent, by step and operation, and what it did that cannot be taken back. */
export function renderCompared({ run, state, steps, acts, outside }: Compared, look: Look): string {
  const { paint } = look;
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
  const entries = steps.reduce((sum, { calls }) => sum + calls.length, acts.length);
  return [
    `${paint.bold(plain(run))}  ${state}: planned against sent\n`,
    table([['step', 'planned', 'sent', ''], ...rows], ['left', 'right', 'right'], '  '),
    ...(acts.length === 0
      ? []
      : [paint.red('cannot be taken back\n'), table([['', 'planned', 'done', ''], ...done], ['left', 'right', 'right'], '  ')]),
    steps.some(({ runs }) => runs) ? 'runs of steps: portolan runs --children, each with portolan plan --compare RUN\n' : '',
    verdictOf(entries, outside, look),
  ].join('');
}
