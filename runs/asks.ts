import { withoutControls } from '../text/controls.ts';
import type { GateAsks } from '../workflows/messages.ts';

/** Characters of what a gate shows, on one line. */
const mostShown = 300;

const text = (value: unknown): string => {
  const all = typeof value === 'string' ? value : JSON.stringify(value);
  const seen = withoutControls(all);
  return seen.length > mostShown ? `${seen.slice(0, mostShown)}…` : seen;
};

/** What an approval lets happen, a line for each step. */
export const approvedActs = ({ approves }: Pick<GateAsks, 'approves'>): string[] =>
  approves.map(({ step, use, acts }) => `${step}: ${acts.length > 0 ? acts.join('; ') : use}`);

/** What a gate shows; undefined where the file shows nothing. */
export const shownText = ({ show }: GateAsks): string | undefined => (show === undefined ? undefined : text(show));

/** What a person is asked, in one line. */
export const asksLine = (asks: GateAsks): string =>
  [`lets ${approvedActs(asks).join(', ') || 'the run go on'}`, ...(asks.show === undefined ? [] : [`shows ${shownText(asks)}`])].join(
    ' · ',
  );
