import type { RunTime } from '../../pipelines/window.ts';
import { overStates } from '../end-states.ts';
import type { RunLine } from '../list.ts';

/**
 * A time at which a schedule was due, and its runs, the newest first: more than one where it was made up for again. `byHand`: it was not
 * due, and of what was started then none has ended well, which nothing makes up for. `leftOut`: it is none of the plan, for clocks have
 * changed, and no other run reads its window; `runs` are those that were started by hand for that window.
 */
export type DueTime = RunTime & { runs: RunLine[]; byHand?: true; leftOut?: true };

/** What became of a time: a run of it ended well, one is under way, or neither, and why. `run`: the one by which that is known. */
export type Standing = { is: 'done' | 'open'; run: RunLine } | { is: 'gap'; why: string; run?: RunLine };

/** Some work of a run that is taken back is there no more, wherever that ended; what was refused has taken nothing. */
const isKept = ({ undone }: RunLine): boolean => undone === undefined || undone.state === 'refused';

/** Of several runs of one time one that ended well is enough, whatever became of the others. */
export function standingOf({ runs, leftOut }: Pick<DueTime, 'runs' | 'leftOut'>): Standing {
  const well = runs.find((run) => run.state === 'done' && isKept(run));
  if (well) return { is: 'done', run: well };
  const open = runs.find(({ state }) => !overStates.has(state));
  if (open) return { is: 'open', run: open };
  const [newest] = runs;
  if (!newest) return { is: 'gap', why: leftOut ? 'left out when clocks changed' : 'never run' };
  if (!isKept(newest)) return { is: 'gap', why: 'taken back', run: newest };
  return { is: 'gap', why: newest.state === 'forgotten' ? 'end unknown' : newest.state, run: newest };
}

/**
 * Times in a row of which no run has ended well: what `portolan schedule backfill` makes up for. `to` counts no more; `why`: how many why.
 * `leftOut`: one time that is none of the plan: only a run by hand makes up for it.
 */
export type Gap = { from: string; to: string; count: number; why: { [why: string]: number }; leftOut?: true };

/** Gaps, oldest first. A time whose run is under way is none, and ends the one before it, so that nobody makes up for what still comes. */
export function gapsIn(past: readonly DueTime[]): Gap[] {
  const gaps: Gap[] = [];
  let open: Gap | undefined;
  for (const time of past) {
    if (time.byHand) continue;
    const standing = standingOf(time);
    if (standing.is !== 'gap') {
      open = undefined;
      continue;
    }
    if (!open || open.leftOut !== time.leftOut) {
      open = { from: time.scheduledAt, to: time.scheduledAt, count: 0, why: {}, ...(time.leftOut && { leftOut: true }) };
      gaps.push(open);
    }
    open.count += 1;
    open.to = after(time.scheduledAt);
    open.why[standing.why] = (open.why[standing.why] ?? 0) + 1;
  }
  return gaps;
}

const after = (iso: string): string => new Date(Date.parse(iso) + 1_000).toISOString();
