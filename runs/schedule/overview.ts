import { timeOf, type RunTime } from '../../pipelines/window.ts';
import { createMarks } from '../../store/marks.ts';
import { canonical } from '../../text/canonical-json.ts';
import { rootOf, type RunPlace } from '../find.ts';
import { listRuns, type RunLine } from '../list.ts';
import { withReadsAgain, type ShownMark } from '../reads-again.ts';
import { mostAtOnce, withDueTimes } from './due-times.ts';
import { standingOf, type DueTime } from './gaps.ts';
import { previewSchedule, unreadBetween, windowOf, type SchedulePreview } from './preview.ts';
import type { ScheduleState } from './read.ts';

/** A schedule with what became of its times. */
export type ScheduleOverview = {
  state: ScheduleState;
  /** Oldest first: those since the server has it and all its runs are known, and earlier ones of which there are runs. */
  past: DueTime[];
  preview: SchedulePreview;
  /** The newest setting of each mark of its pipeline. */
  marks: ShownMark[];
};

/** Times that are looked back at, and runs that are looked through for them. */
const mostTimes = 1_000;
const mostRuns = 500;

/** A run may begin so long after its time without being looked for: starts are not instant. */
const graceMs = 60_000;

export async function readOverview(place: RunPlace, state: ScheduleState, now: number): Promise<ScheduleOverview> {
  const { schedule, name, input } = state;
  const [runs, preview, marks] = await Promise.all([
    listRuns(place, { limit: mostRuns, schedule: name, reruns: true, store: input.start.store }),
    previewSchedule(place.client, schedule, now),
    newestMarks(place.storeRoot, input.plan.pipeline),
  ]);
  // The oldest times first: a server gives no more than a thousand at once.
  const known = knownFrom(runs, state);
  const byTime = Map.groupBy(
    runs.filter(({ time }) => time),
    ({ time }) => Date.parse(time!.scheduledAt),
  );
  const window = windowOf(schedule);
  const past = await withDueTimes(place.client, schedule, async (due) => {
    const found = new Set(await lastTimes(due, known, now - graceMs));
    const times = [...new Set([...found, ...byTime.keys()])].sort((a, b) => a - b).slice(-mostTimes);
    const ofPlan = await Promise.all(
      times.map(async (at): Promise<DueTime> => {
        const time = { ...timeOf(at, window), runs: byTime.get(at) ?? [] };
        const strange = !found.has(at) && standingOf(time).is === 'gap';
        return strange && (await due(at - 1, at)).length === 0 ? { ...time, byHand: true } : time;
      }),
    );
    const unread = await unreadBetween(place.client, schedule, due, times[0] ?? now, now - graceMs);
    const leftOut = unread.filter(({ window: of }) => isAmong(of!, ofPlan) || Date.parse(of!.from) >= known);
    return inTime([...ofPlan, ...(await withRunsByHand(leftOut, place, state))]);
  });
  return { state, past, preview, marks };
}

/**
 * From when on a time without a run had none: where not all runs are known any more, because they were removed or forgotten, only since
 * the oldest of those that are began.
 */
function knownFrom(all: readonly RunLine[], { createdAt, started }: ScheduleState): number {
  const created = Date.parse(createdAt);
  const runs = all.filter(({ origin }) => origin && 'schedule' in origin);
  if (runs.length >= started) return created;
  return Math.max(created, ...runs.slice(-1).map(({ startedAt }) => Date.parse(startedAt)));
}

/** A schedule that is due each second has fewer times in it than a server gives at once. */
const firstSpanMs = 900_000;

/** The last times of a span, looked for part by part from its end. */
async function lastTimes(due: (from: number, to: number) => Promise<number[]>, from: number, to: number): Promise<number[]> {
  let found: number[] = [];
  let span = firstSpanMs;
  for (let until = to; until > from && found.length < mostTimes;) {
    const since = Math.max(from, until - span);
    const part = await due(since, until);
    if (part.length >= mostAtOnce) span /= 2;
    else {
      found = [...part, ...found];
      until = since;
      if (part.length < mostAtOnce / 6) span *= 6;
    }
  }
  return found;
}

async function newestMarks(storeRoot: string, pipeline: string): Promise<ShownMark[]> {
  const root = rootOf(storeRoot);
  const marks = createMarks(root);
  const owners = (await marks.owners()).filter((owner) => owner.pipeline === pipeline);
  const newest = await Promise.all(owners.map((owner) => marks.newest(owner)));
  return withReadsAgain(
    marks,
    root,
    newest.flatMap((mark) => mark ?? []),
  );
}

/** Before the server had the schedule a window was to be read only where those on both sides of it were. */
const isAmong = ({ from, to }: NonNullable<RunTime['window']>, past: readonly DueTime[]): boolean =>
  past.some(({ window }) => window?.to === from) && past.some(({ window }) => window?.from === to);

const inTime = (past: readonly DueTime[]): DueTime[] => past.toSorted((a, b) => a.scheduledAt.localeCompare(b.scheduledAt));

/** Times that were left out, with the runs that somebody has started for their windows: of the same pipeline, on the same connections. */
async function withRunsByHand(times: readonly RunTime[], place: RunPlace, { input: { plan, start } }: ScheduleState): Promise<DueTime[]> {
  if (times.length === 0) return [];
  const all = await listRuns(place, { limit: Infinity, store: start.store });
  const same = all.filter(
    ({ pipeline, connections }) => pipeline === plan.pipeline && canonical(connections) === canonical(start.connections),
  );
  return times.map((time) => ({
    ...time,
    runs: same.filter((run) => run.time?.window?.from === time.window!.from && run.time.window.to === time.window!.to),
    leftOut: true,
  }));
}
