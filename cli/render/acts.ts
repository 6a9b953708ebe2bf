import type { Forecast, ForecastStep, PlannedAct } from '../../pipelines/forecast/forecast.ts';
import { cost as said } from '../../text/money.ts';
import { number } from '../../text/units.ts';
import type { Look } from './look.ts';
import { wrap } from '../frame/wrap.ts';

/** How often something is done at most. */
export const atMost = (most: number | null): string => (most === null ? 'nobody knows how many' : `≤ ${number(most)}`);

/** Acts of a plan by their kind: `charge ≤ 30, rows deleted ≤ 3,076`. */
export const actsByKind = (acts: readonly Pick<PlannedAct, 'kind' | 'most'>[]): string =>
  [...Map.groupBy(acts, ({ kind }) => kind)]
    .map(
      ([kind, of]) =>
        `${kind} ${atMost(of.reduce<number | null>((sum, { most }) => (sum === null || most === null ? null : sum + most), 0))}`,
    )
    .join(', ');

/** Who lets it happen. */
const gated = ({ step, gate, unapproved }: PlannedAct): string =>
  unapproved
    ? `not approved: by a gate, or portolan run --accept ${step}`
    : gate === undefined
      ? 'approved by --accept'
      : `waits for ${gate}`;

/** What is known of a cost before the run, in brackets. */
const dollars = (cost: ForecastStep['cost']): string =>
  cost === undefined ? '' : cost.max === null ? ' (no cap)' : ` (${said(cost.min)} to ${said(cost.max)})`;

/** What of a plan cannot be taken back, and what is charged: by kind and count, then step by step with who approves it. */
export function actLines(
  { irreversible, own, steps }: Pick<Forecast, 'irreversible' | 'own' | 'steps'>,
  { columns, paint, hosted }: Look & { hosted: boolean },
): string[] {
  const lines = (text: string, indent: string): string[] => wrap(text, columns - indent.length).map((line) => indent + line);
  const paid = steps.flatMap(({ id, charged = [], cost }) =>
    charged.length > 0 ? [`${id} by ${charged.join(', ')}${dollars(cost)}`] : [],
  );
  const charged = paid.length > 0 ? lines(`charged: ${paid.join('; ')}`, '') : [];
  const free = hosted || paid.length > 0 ? [] : ['nothing is charged'];
  const unseen =
    own.length === 0
      ? []
      : lines(
          `not in this plan: what ${own.join(', ')} (own) ${own.length > 1 ? 'do' : 'does'} outside of the APIs; a step can say it: acts: { charge: 1 }`,
          '',
        );
  if (irreversible.length === 0)
    return own.length > 0 ? [...charged, ...unseen] : [['nothing irreversible', ...free].join(' · '), ...charged];
  return [
    ...lines(`cannot be taken back: ${actsByKind(irreversible)}`, '').map((line) => paint.red(line)),
    ...irreversible.flatMap((act) =>
      lines(`${act.step}: ${act.says}${act.because ? `, because ${act.because}` : ''} (${gated(act)})`, '  ').map((line) =>
        act.unapproved ? paint.red(line) : line,
      ),
    ),
    ...charged,
    ...unseen,
  ];
}
