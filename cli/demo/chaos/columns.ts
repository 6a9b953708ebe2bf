import type { SideFigures } from '../../json/chaos.ts';
import { fit, padEnd, type Paint } from '../../render/paint.ts';
import { table } from '../../render/table.ts';
import { duration, number } from '../../../text/units.ts';

/** A side as it stands now. */
export type Standing = Pick<
  SideFigures,
  'side' | 'lines' | 'killed' | 'answersLost' | 'launched' | 'launchedTwice' | 'followUps' | 'followUpsTwice'
> & {
  finished: number;
  ms: number;
  over: boolean;
};

const bar = (done: number, of: number, width: number): string => {
  const full = Math.round((Math.min(done, of) / of) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
};

const twice = (count: number, paint: Paint): string => (count > 0 ? paint.red(`${count} twice`) : '0 twice');

const columnOf = (at: Standing, items: number, width: number, paint: Paint): string[] => [
  `${paint.bold(at.side)} ${paint.dim(`${at.lines} lines`)}`,
  bar(at.finished, items, width),
  `${at.over ? paint.green('ended') : 'under way'}  ${at.finished} of ${items} finished  ${duration(at.ms)}`,
  `launched    ${number(at.launched)}  ${twice(at.launchedTwice, paint)}`,
  `follow-ups  ${number(at.followUps)}  ${twice(at.followUpsTwice, paint)}`,
  `killed ${at.killed} · answers lost ${at.answersLost}`,
];

/** The sides beside each other, each line at most `width` wide. */
export const columns = (sides: readonly Standing[], { items, width, paint }: { items: number; width: number; paint: Paint }): string[] => {
  const room = Math.max(20, Math.floor((Math.min(width, 120) - 3 * (sides.length - 1)) / sides.length));
  const drawn = sides.map((side) => columnOf(side, items, room, paint));
  return drawn[0]!.map((_, line) =>
    fit(
      drawn
        .map((column) => padEnd(fit(column[line]!, room), room))
        .join(paint.dim(' │ '))
        .trimEnd(),
      width,
    ),
  );
};

/** The same in one line, where nothing is redrawn. */
export const standingLine = (sides: readonly Standing[], items: number): string =>
  sides
    .map(
      ({ side, finished, launched, launchedTwice }) =>
        `${side} ${finished} of ${items}, ${launched} launched${launchedTwice > 0 ? `, ${launchedTwice} twice` : ''}`,
    )
    .join(' · ');

const usd = (amount: number): string => `$${amount.toFixed(4)}`;

const rows: readonly (readonly [what: string, of: (figures: SideFigures) => string, bad?: (figures: SideFigures) => boolean])[] = [
  ['agents launched', ({ launched }) => number(launched)],
  ['launched twice', ({ launchedTwice }) => number(launchedTwice), ({ launchedTwice }) => launchedTwice > 0],
  ['follow-ups sent', ({ followUps }) => number(followUps)],
  ['follow-ups sent twice', ({ followUpsTwice }) => number(followUpsTwice), ({ followUpsTwice }) => followUpsTwice > 0],
  ['notes lost', ({ lost }) => number(lost), ({ lost }) => lost > 0],
  ['paid', ({ paidUsd }) => usd(paidUsd)],
  ['paid twice', ({ paidTwiceUsd }) => usd(paidTwiceUsd), ({ paidTwiceUsd }) => paidTwiceUsd > 0],
  ['killed', ({ killed }) => number(killed)],
  ['answers lost', ({ answersLost }) => number(answersLost)],
  ['refused (429)', ({ refused }) => number(refused)],
  ['requests', ({ requests }) => number(requests)],
  ['time', ({ seconds }) => duration(seconds * 1_000)],
  ['lines written', ({ lines }) => number(lines)],
];

/** What both services have recorded, and what it took. */
export const outcome = (sides: readonly SideFigures[], paint: Paint): string =>
  table(
    [
      ['', ...sides.map(({ side }) => paint.bold(side))],
      ...rows.map(([what, of, bad]) => [what, ...sides.map((side) => (bad?.(side) ? paint.red(of(side)) : of(side)))]),
    ],
    ['left', ...sides.map(() => 'right' as const)],
    '  ',
  );
