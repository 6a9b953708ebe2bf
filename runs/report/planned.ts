import { escapeHtml as e, escapeParts } from '../../text/html.ts';
import { number } from '../../text/units.ts';
import { verdicts, type Compared, type ComparedCall } from '../compare.ts';
import { section } from './tables.ts';

const verdict = ({ is }: Pick<ComparedCall, 'is'>): string => (is === 'within' ? '' : `<b class="failed">${verdicts[is]}</b>`);

const bounds = ({ min, max, because }: ComparedCall): string =>
  max === null ? `≥ ${number(min)}, unknown: ${e(because ?? '')}` : min === max ? number(min) : `${number(min)} to ${number(max)}`;

/** What was planned against what was sent, by step and operation; acts that cannot be taken back by kind and count. */
export function planned(compared: Compared | undefined): string {
  if (!compared) return '';
  const calls = compared.steps.flatMap(({ id, calls: of, reusedFrom }) =>
    of.map((call) => [
      e(id),
      `<code>${escapeParts(call.operation)}</code>`,
      bounds(call),
      reusedFrom === undefined ? number(call.sent) : 'reused',
      verdict(call),
    ]),
  );
  const acts = compared.acts.map((act) => [
    e(act.step),
    e(act.kind),
    act.most === null ? `unknown: ${e(act.because ?? '')}` : `at most ${number(act.most)}`,
    number(act.done),
    verdict(act),
  ]);
  return [
    section('What cannot be taken back', ['step', 'act', 'planned', 'done', ''], acts, [3]),
    section('Planned against sent', ['step', 'operation', 'planned', 'sent', ''], calls, [3]),
  ]
    .filter(Boolean)
    .join('\n');
}
