import { overlaps } from '../../pipelines/file/schedule.ts';
import { line, type Line } from './proof.ts';
import type { Outage } from './support-outage.ts';
import { leastEdgeMs, narrowMs, windowsOf, type Judged } from './support-outage-cases.ts';
import { dueRuns } from './support-overlap.ts';
import { difference, type Fired } from './support-schedules.ts';

/** A firing starts so long after its time at most. */
const lateMs = 1_000;

const right = '0, 0, 0';

const counts = (due: readonly number[], ran: readonly Fired[]): string => {
  const { lost, besides, doubled } = difference(
    due,
    ran.map(({ at }) => at),
  );
  return `${lost.length}, ${besides.length}, ${doubled.length}`;
};

/** What an outage has shown. */
export const outageLines = (outage: Outage): Line[] => [
  ...punctuality(outage),
  ...overlapLines(outage),
  ...controls(outage),
  renewal(outage),
];

const lateness = ({ at, startedAt }: Fired): number => startedAt - at;

/** Of those that no run of their own holds up: what was due while the server was there, and had made up for what it had missed. */
function punctuality({ cases, minutely, killedAt, caughtUpAt }: Outage): Line[] {
  const free = [...cases.filter(({ held }) => !held).flatMap(({ ran }) => ran), ...minutely];
  const delayed = free.filter(({ at }) => at > killedAt && at < caughtUpAt);
  const madeUpAt = Math.max(...delayed.map(({ startedAt }) => startedAt));
  const usual = free.filter(({ at }) => at < killedAt || at > madeUpAt);
  const [last] = usual.toSorted((a, b) => lateness(b) - lateness(a));
  const latest = last === undefined ? Infinity : lateness(last);
  return [
    line(
      `ms from the time of ${usual.length} firings to the start of their runs: latest`,
      `${latest} (${last?.schedule})`,
      `≤ ${lateMs}`,
      usual.length > 30 && latest <= lateMs,
    ),
    line(
      'control, the same of firings that the outage delayed: later than that',
      delayed.filter((run) => lateness(run) > lateMs).length,
      '> 0',
      delayed.some((run) => lateness(run) > lateMs),
    ),
  ];
}

function overlapLines({ cases, killedAt, readyAt, edgeMs }: Outage): Line[] {
  const seconds = ((readyAt - killedAt) / 1_000).toFixed(0);
  const goingOn = cases.filter(
    ({ held, ran }) => held && ran.some(({ startedAt, endedAt }) => startedAt < killedAt && (endedAt ?? 0) > readyAt),
  );
  return [
    ...overlaps.map((overlap) => {
      const of = cases.filter((each) => each.overlap === overlap);
      const said = of.map(({ name, due, windows }) => `${name.split('-').slice(1, 3).join(' ')} ${due.length} of ${windows.length}`);
      const found = of.map(({ due, ran }) => counts(due, ran));
      return line(
        `outage of ${seconds} s, ${overlap}: windows that run (${said.join(', ')}); lost, besides, doubled`,
        found.join(' | '),
        `${right} each`,
        found.every((each) => each === right),
      );
    }),
    line(
      'runs that went on over the outage; ms from a window to the edge of the narrow catch-up',
      `${goingOn.length}; ${edgeMs}`,
      `${overlaps.length}; ≥ ${leastEdgeMs}`,
      goingOn.length === overlaps.length && edgeMs >= leastEdgeMs,
    ),
  ];
}

/** What is left out by the table of docs/schedules.md: longer ago than `catchUp`, and while a run went on; of `cancelOther` the latter is not counted. */
function leftOut({ windows, due, catchUpMs, overlap }: Judged): string {
  const missed = windows.filter(({ at, seen }) => seen - at > catchUpMs).length;
  return `${missed}, ${overlap === 'cancelOther' ? 0 : windows.length - missed - due.length}`;
}

function controls({ cases }: Outage): Line[] {
  const miscounted = cases.filter((each) => `${each.shown.missed}, ${each.shown.overlapped}` !== leftOut(each));
  /** How many would be found wrong, were something else declared. */
  const wrongWith = (other: (each: Judged) => Pick<Judged, 'overlap' | 'catchUpMs'>): number =>
    cases.filter((each) => {
      const ends = new Map(each.ran.map(({ at, endedAt }) => [at, endedAt]));
      return (
        counts(
          dueRuns(each.windows, other(each), (at) => ends.get(at)),
          each.ran,
        ) !== right
      );
    }).length;
  const byOverlap = wrongWith(({ overlap, catchUpMs }) => ({ overlap: overlap === 'bufferAll' ? 'skip' : 'bufferAll', catchUpMs }));
  const byCatchUp = wrongWith(({ overlap, catchUpMs }) => ({ overlap, catchUpMs: catchUpMs > narrowMs ? narrowMs : Infinity }));
  return [
    line(
      'schedules of which `show` says otherwise how many times were missed and left out',
      `${miscounted.length}${miscounted.map(({ name }) => `; ${name}`).join('')}`,
      '0',
      miscounted.length === 0,
    ),
    line(
      'control, schedules that would be found wrong with another overlap, and with another catch-up',
      `${byOverlap}, ${byCatchUp}`,
      '> 0 each',
      byOverlap > 0 && byCatchUp > 0,
    ),
  ];
}

function renewal({ renewed: { deletedAt, madeAt, ran }, ...times }: Outage): Line {
  const windows = windowsOf(times).map(({ at }) => at);
  const [earlier, later] = [windows.filter((at) => at < times.killedAt), windows.filter((at) => at > madeAt)];
  const again = ran.filter(({ at, startedAt }) => at <= deletedAt && startedAt > deletedAt);
  const [before, since] = [
    counts(
      earlier,
      ran.filter(({ at }) => at < times.killedAt),
    ),
    counts(
      later,
      ran.filter(({ at }) => at > madeAt),
    ),
  ];
  return line(
    `deleted and made anew while it catches up: windows of before that fire again; lost, besides, doubled of ${earlier.length} before the outage, and of ${later.length} since`,
    `${again.length}; ${before}; ${since}`,
    `0; ${right}; ${right}`,
    again.length === 0 && earlier.length > 0 && later.length > 1 && before === right && since === right,
  );
}
