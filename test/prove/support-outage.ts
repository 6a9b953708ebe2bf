import type { World } from '../support/world.ts';
import {
  casesOf,
  everyMs,
  type Case,
  heldCall,
  judged,
  leastEdgeMs,
  narrowMs,
  windowsOf,
  type Judged,
  type Times,
} from './support-outage-cases.ts';
import { between, until, untilTime, windowBefore } from './support-real-time.ts';
import { apply, command, difference, documents, firedOf, type Fired, type Scheduled } from './support-schedules.ts';

/** Windows that pass while the server is away, which is away for longer than three of them. */
const missedWindows = 4;

export type Outage = Times & {
  /** With what `schedule show` says of each. */
  cases: (Judged & { shown: { missed: number; overlapped: number } })[];
  /** Runs of a schedule that was deleted and made again while the server caught up. */
  renewed: { deletedAt: number; madeAt: number; ran: Fired[] };
  /** Runs of a cron line: one each minute. */
  minutely: Fired[];
  /** From the command that started the server again to its first run. */
  leadMs: number;
  /** How far from the end of the narrow catch-up the nearest window was: nearer than `leastEdgeMs`, nobody can say what was due. */
  edgeMs: number;
};

/** Outages that are tried until one ends far enough from the edge: how long a server takes to come back is known after the first. */
const tries = 4;

/** An outage that ended at a moment of which it can be said what was due; the last one tried where none did. */
export async function outage(world: World, round: number, note: (line: string) => void): Promise<Outage> {
  let tried = await outageOnce(world, `${round}`, 4_000, note);
  for (let again = 2; again <= tries && tried.edgeMs < leastEdgeMs; again++) {
    note(`a window came ${tried.edgeMs} ms from the edge of the narrow catch-up: once more`);
    tried = await outageOnce(world, `${round}-${again}`, tried.leadMs, note);
  }
  return tried;
}

/**
 * Applies all cases, kills the server for more than three windows while a run of a third of them is held at the service, starts it again
 * and lets go of them two windows later.
 */
async function outageOnce(world: World, round: string, leadMs: number, note: (line: string) => void): Promise<Outage> {
  const cases = casesOf(round);
  const renewed: Scheduled = {
    name: `renewed-${round}`,
    schedule: '{ every: 10s, overlap: bufferAll, catchUp: 1h }',
    operation: heldCall,
  };
  const minutely: Scheduled = { name: `minutely-${round}`, schedule: '{ cron: "* * * * *", timezone: Australia/Lord_Howe }' };
  const names = [...cases, renewed, minutely].map(({ name }) => name);
  const fired = (): Promise<Fired[]> => firedOf(world, names);
  await apply(world, ...cases, renewed, minutely);

  // Two windows as on any day, then one whose runs are held.
  const from = windowBefore(everyMs, Date.now()) + everyMs;
  const hold = await holdRuns(world, [...cases, renewed], from + 2 * everyMs, fired);
  const quiet = (): Promise<number> => seenAll(cases, fired);
  const { killedAt, startedAt: restartedAt, readyAt } = await killAt(world, await quiet(), leadMs);
  const first = await until('the server starts a run after it was away', async () =>
    (await fired().catch(() => [])).find(({ startedAt }) => startedAt > killedAt),
  );
  note(
    `server away for ${((readyAt - killedAt) / 1_000).toFixed(1)} s, first run ${((first.startedAt - readyAt) / 1_000).toFixed(1)} s later`,
  );

  const deletedAt = Date.now();
  await command(world, 'delete', renewed.name, '--yes');
  await apply(world, renewed);
  const madeAt = Date.now();

  // One more window is due for certain while runs are held, and one when they are not.
  await untilTime(windowBefore(everyMs, madeAt) + everyMs);
  const releasedAt = await quiet();
  await world.control.release(hold);
  const to = windowBefore(everyMs, releasedAt) + 2 * everyMs;
  await untilTime(to + everyMs / 2);

  const starts = (await fired()).map(({ startedAt }) => startedAt).filter((startedAt) => startedAt > killedAt);
  const times: Times = { from, killedAt, readyAt, caughtUpAt: Math.min(...starts), to };
  const all = await until('all runs are over', async () => {
    const known = await fired();
    const since = windowsOf(times).filter(({ at }) => at > madeAt);
    const again = since.every(({ at }) => known.some((run) => run.schedule === renewed.name && run.at === at && run.endedAt !== undefined));
    return again && cases.every((each) => isOver(judged(each, times, known))) ? known : undefined;
  }).catch(fired);
  const shown = new Map((await documents<'schedule'>(world, 'list')).map((each) => [each.name, each]));
  await command(world, 'delete', ...names, '--yes');
  const ranOf = ({ name }: Scheduled): Fired[] => all.filter(({ schedule, at }) => schedule === name && at >= from && at <= to);
  const found = cases.map((each) => ({ ...judged(each, times, all), shown: shown.get(each.name)! }));
  return {
    ...times,
    leadMs: times.caughtUpAt - restartedAt,
    edgeMs: edgeMsOf(found),
    cases: found,
    renewed: { deletedAt, madeAt, ran: ranOf(renewed) },
    minutely: ranOf(minutely),
  };
}

/** Holds the calls of the window at an instant; returns when all are held and every schedule has run in it. */
async function holdRuns(world: World, schedules: readonly Scheduled[], window: number, fired: () => Promise<Fired[]>): Promise<string> {
  await untilTime(window - 0.2 * everyMs);
  const { id } = await world.control.faultIfCalled(heldCall, 1, { hold: 'before' }, 10_000);
  const holding = schedules.filter(({ operation }) => operation === heldCall).length;
  await until(`${holding} runs are held, and each schedule has run`, async () => {
    const calls = (await world.control.faults()).find((fault) => fault.id === id)?.fired ?? 0;
    const known = await fired();
    const ran = schedules.every(({ name }) => known.some(({ schedule, at }) => schedule === name && at >= window));
    return calls >= holding && ran ? true : undefined;
  });
  return id;
}

/** Waits for a moment between two windows at which the server has seen all that were due: whatever none holds up has run. Returns it. */
const seenAll = (cases: readonly Case[], fired: () => Promise<Fired[]>): Promise<number> =>
  until(
    'the server keeps up',
    async () => {
      const window = windowBefore(everyMs, await between(everyMs));
      const known = await fired();
      const free = cases.filter(({ held }) => !held);
      const ran = free.every(({ name, offsetMs }) => known.some(({ schedule, at }) => schedule === name && at === window + offsetMs));
      const now = Date.now();
      return ran && now < window + 0.85 * everyMs ? now : undefined;
    },
    300_000,
  );

/** Starts the server again so early that its first run comes when no window of any schedule is near, where it takes so long to come back. */
async function killAt(
  world: World,
  killedAt: number,
  leadMs: number,
): Promise<Pick<Times, 'killedAt' | 'readyAt'> & { startedAt: number }> {
  await world.temporal.kill();
  await untilTime(windowBefore(everyMs, killedAt) + (missedWindows + 0.75) * everyMs - leadMs);
  const startedAt = Date.now();
  await world.temporal.start();
  return { killedAt, startedAt, readyAt: Date.now() };
}

const edgeMsOf = (cases: readonly Judged[]): number =>
  Math.min(...cases.flatMap(({ windows }) => windows.flatMap(({ at, seen }) => (seen > at ? Math.abs(seen - at - narrowMs) : []))));

const isOver = ({ due, ran }: Judged): boolean =>
  ran.every(({ endedAt }) => endedAt !== undefined) &&
  difference(
    due,
    ran.map(({ at }) => at),
  ).lost.length === 0;
