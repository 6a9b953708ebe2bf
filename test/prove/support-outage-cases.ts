import { overlaps, type Schedule } from '../../pipelines/file/schedule.ts';
import { dueRuns, type Window } from './support-overlap.ts';
import type { Fired, Scheduled } from './support-schedules.ts';

/** Each schedule is due so often. */
export const everyMs = 10_000;

/** What those that are to go on over the outage call, and nobody else. */
export const heldCall = 'maps.projects.list';

/** A catch-up longer than the outage, and the shortest that a file may have. */
const catchUps = { wide: { text: '1h', ms: 3_600_000 }, narrow: { text: '10s', ms: 10_000 } } as const;

export const narrowMs = catchUps.narrow.ms;

/** So far from the end of the narrow catch-up each window is at least, so that a server that is a little slow changes nothing. */
export const leastEdgeMs = 1_000;

/** One way to overlap, one way to catch up, and whether a run goes on when the server dies. */
export type Case = Scheduled & { overlap: Schedule['overlap']; catchUpMs: number; held: boolean; offsetMs: number };

/** Every overlap with either catch-up and no run that goes on, and with one; each overlap a second later, so that not all start at once. */
export const casesOf = (round: string): Case[] =>
  overlaps.flatMap((overlap, second) =>
    (['wide free', 'narrow free', 'wide held'] as const).map((what) => {
      const [catchUp, hold] = what.split(' ') as ['wide' | 'narrow', 'free' | 'held'];
      return {
        name: `${overlap.toLowerCase()}-${catchUp}-${hold}-${round}`,
        schedule: `{ every: 10s, ${second > 0 ? `offset: ${second}s, ` : ''}overlap: ${overlap}, catchUp: ${catchUps[catchUp].text} }`,
        ...(hold === 'held' ? { operation: heldCall } : {}),
        overlap,
        catchUpMs: catchUps[catchUp].ms,
        held: hold === 'held',
        offsetMs: second * 1_000,
      };
    }),
  );

/** When the server was killed, was ready again, and first started a run; and the windows that are judged, from one to another. */
export type Times = { from: number; killedAt: number; readyAt: number; caughtUpAt: number; to: number };

/** The windows of a schedule, and when the server saw that they were due. */
export const windowsOf = ({ from, killedAt, caughtUpAt, to }: Times, offsetMs = 0): Window[] =>
  Array.from({ length: (to - from) / everyMs + 1 }, (_, index) => from + index * everyMs + offsetMs).map((at) => ({
    at,
    seen: at > killedAt && at < caughtUpAt ? caughtUpAt : at,
  }));

/** What was due of a case, and what ran. */
export type Judged = Case & { windows: Window[]; due: number[]; ran: Fired[] };

export function judged(each: Case, times: Times, all: readonly Fired[]): Judged {
  const listed = windowsOf(times, each.offsetMs);
  const ran = all.filter(({ schedule, at }) => schedule === each.name && at >= times.from && at <= listed.at(-1)!.at);
  // After the outage a server is slow: where nothing is kept for later, it saw a window when it started its run.
  const starts = new Map(each.overlap === 'skip' ? ran.map(({ at, startedAt }) => [at, startedAt]) : []);
  const windows = listed.map(({ at, seen }) => ({ at, seen: at > times.caughtUpAt ? (starts.get(at) ?? seen) : seen }));
  const ends = new Map(ran.map(({ at, endedAt }) => [at, endedAt]));
  return { ...each, windows, ran, due: dueRuns(windows, each, (at) => ends.get(at)) };
}
