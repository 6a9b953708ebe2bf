import { setTimeout as pause } from 'node:timers/promises';
import { overlaps, type Schedule } from '../../pipelines/file/schedule.ts';
import { runIdOf } from '../../pipelines/run-start.ts';
import { timeOf } from '../../pipelines/window.ts';
import { deleteSchedule } from '../../runs/schedule/delete.ts';
import { withDueTimes } from '../../runs/schedule/due-times.ts';
import { unreadWords } from '../../runs/schedule/clock-words.ts';
import { unreadBetween, windowOf } from '../../runs/schedule/preview.ts';
import { findSchedule, findSchedules, scheduleHandle, type ScheduleState } from '../../runs/schedule/read.ts';
import { overlapPolicies } from '../../runs/schedule/spec.ts';
import { informWatch } from '../../runs/schedule/inform-watch.ts';
import { instantIn, timeRule } from '../../text/zone.ts';
import { counted } from '../../text/units.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { whoIs, type Project } from '../project/project.ts';
import { timing } from '../../runs/schedule/timing.ts';
import { renderTimes } from '../render/schedules.ts';
import { listRuns, type RunLine } from '../../runs/list.ts';
import { findRunOrNewest } from '../../runs/newest.ts';
import { followToEnd } from '../start/follow-to-end.ts';
import type { ScheduleContext } from './context.ts';
import { waitForRuns } from './wait-for-runs.ts';

/** `pause` and `resume`: nothing more is started, and started again from the next time on. */
export async function pauseSchedules(
  context: ScheduleContext,
  { place }: Project,
  names: readonly string[],
  paused: boolean,
): Promise<number> {
  const { options, terminal } = context;
  const said = `${whoIs(context)}${options.note === undefined ? '' : `: ${options.note}`}`;
  // A name that there is not is found before anything is done.
  for (const { name, input, paused: was } of await findSchedules(place, names)) {
    const handle = scheduleHandle(place, name);
    // Of a pause by a failure, or in the Web UI, its watch knows nothing: it would take it for due all the while, and be late no more.
    if (was && !paused) await informWatch(place, { name, ...input }, 'paused');
    await (paused ? handle.pause(said) : handle.unpause(said));
    await informWatch(place, { name, ...input }, paused ? 'paused' : 'due');
    if (options.json) terminal.document('steered', { name, did: paused ? 'pause' : 'resume', done: true });
    else terminal.out(`${name} ${paused ? 'is paused' : 'goes on'}\n`);
  }
  return exit.done;
}

/** So long a start is waited for, and looked for so often. */
const startWithinMs = 30_000;
const lookEachMs = 100;

/**
 * What became of a start that was asked for: the run; or, because one goes on, it is left out, or kept for later, which `wait` waits for. Where
 * it cancels the one that goes on, the time of every start is waited: nothing but the end of that one keeps it from beginning.
 */
async function startOf(
  project: Project,
  before: ScheduleState,
  wait: boolean,
): Promise<ScheduleState['recent'][number] | 'left out' | 'kept'> {
  const known = new Set(before.recent.map(({ firstRunId }) => firstRunId));
  for (const until = Date.now() + startWithinMs; ;) {
    const state = await findSchedule(project.place, before.name);
    const started = state.recent.find(({ firstRunId }) => !known.has(firstRunId));
    if (started) return started;
    if (state.overlapped > before.overlapped) return 'left out';
    const isKept = state.kept > before.kept;
    const isLate = Date.now() > until;
    if (isKept && !wait && (isLate || before.schedule.overlap !== 'cancelOther')) return 'kept';
    if (isLate && !isKept)
      throw new UsageError(
        `${before.name} has started no run yet: one goes on, and overlap is ${before.schedule.overlap}`,
        `portolan schedule show ${before.name}`,
      );
    await pause(lookEachMs);
  }
}

const keeps = ({ overlap }: Schedule): string => (overlap === 'cancelOther' ? 'it cancels' : 'goes on');

/** The server names a run by the second for which it starts it: of two of one second it would drop the later one. */
async function awaitNextSecond({ recent }: ScheduleState): Promise<void> {
  const since = Date.now() - Date.parse(recent.at(-1)?.at ?? '1970-01-01');
  if (since >= 0 && since < 1_000) await pause(1_000 - since);
}

/** `trigger`: a run now, whose window is that of now; while another one goes on `overlap` says what becomes of it, as of one that is due. */
export async function triggerSchedule(context: ScheduleContext, project: Project, name: string): Promise<number> {
  const { options, terminal } = context;
  const before = await findSchedule(project.place, name);
  await awaitNextSecond(before);
  // Without a word the server would start it beside one that goes on, whatever the schedule says, and see no failure of it.
  await scheduleHandle(project.place, name).trigger(overlapPolicies[before.schedule.overlap]);
  const started = await startOf(project, before, options.wait ?? false);
  if (started === 'left out')
    throw new UsageError(
      `${name} has started nothing: a run of it goes on, and overlap is ${before.schedule.overlap}`,
      'wait for it, or cancel it: portolan runs',
    );
  if (started === 'kept') {
    if (options.json) terminal.document('steered', { name, did: 'trigger', done: true });
    else terminal.out(`${name} has one run more to start, when the one that ${keeps(before.schedule)} has ended\n`);
    return exit.done;
  }
  const run = runIdOf(before.input.plan.pipeline, new Date(started.at), started.firstRunId.slice(-8));
  if (options.json) terminal.document('steered', { name, did: 'trigger', done: true, run });
  else terminal.out(`${run} runs\n  status  portolan status ${run}\n`);
  if (options.wait) return followToEnd(context, project, await findRunOrNewest(project.place, run), { quiet: true });
  return exit.done;
}

const howOf = (given: string | undefined): Schedule['overlap'] => {
  const how = overlaps.find((each) => each === (given ?? 'bufferAll'));
  if (how === undefined) throw new UsageError(`--overlap is one of ${overlaps.join(', ')}; got '${given}'`);
  return how;
};

function timeIn(zone: string, option: 'from' | 'to', text: string | undefined): number {
  if (text === undefined)
    throw new UsageError('backfill needs --from and --to', 'portolan schedule backfill NAME --from 2026-01-01 --to 2026-02-01');
  const at = instantIn(zone, text);
  if (at === undefined) throw new UsageError(`--${option} is ${timeRule}, got '${text}'`);
  return at;
}

/** What a server keeps of runs that wait for each other. */
const mostAtOnce = 1_000;

/** `backfill`: the runs that were due from a time on, and before another one; with `--yes` they are started. */
export async function backfillSchedule(context: ScheduleContext, project: Project, name: string): Promise<number> {
  const { options, terminal } = context;
  const { place } = project;
  const state = await findSchedule(place, name);
  const { timezone } = state.schedule;
  const [from, to] = [timeIn(timezone, 'from', options.from), timeIn(timezone, 'to', options.to)];
  if (from >= to) throw new UsageError('--from is not before --to', 'swap them');
  const overlap = howOf(options.overlap);
  const window = windowOf(state.schedule);
  // A server counts from behind the first instant to the last one.
  const { due, unread } = await withDueTimes(place.client, state.schedule, async (times) => ({
    due: await times(from - 1, to - 1),
    unread: await unreadBetween(place.client, state.schedule, times, from - 1, to),
  }));
  if (due.length === 0)
    throw new UsageError(`${name} is due at no time from ${options.from} to ${options.to}`, `it is due by '${timing(state.schedule)}'`);
  if (due.length >= mostAtOnce)
    throw new UsageError(`${mostAtOnce.toLocaleString('en-US')} runs or more are due then`, 'take a shorter time');
  const toCome = due.filter((at) => at > Date.now());
  if (toCome.length > 0)
    throw new UsageError(
      `${name} is due then at ${counted(toCome.length, 'time')} still to come, from ${new Date(toCome[0]!).toISOString()}: what their windows are to hold is not all there`,
      'take a --to that is over: the schedule starts the others itself when they are due',
    );
  const times = due.map((at) => timeOf(at, window));
  const done = options.yes ?? false;
  const before = new Set(
    options.wait
      ? (await listRuns(place, { limit: mostAtOnce, schedule: name, store: state.input.start.store })).map(({ run }) => run)
      : [],
  );
  if (done) await scheduleHandle(place, name).backfill({ start: new Date(from), end: new Date(to - 1), overlap: overlapPolicies[overlap] });
  if (!options.json) {
    terminal.out(`${counted(times.length, 'run')} of ${name}\n${renderTimes(times, timezone)}`);
    for (const time of unread) terminal.out(`clocks change: ${unreadWords(time, timezone)}\n`);
    terminal.out(done ? `started, overlap ${overlap}: portolan schedule show ${name}\n` : 'nothing was started: add --yes\n');
  }
  const asked = { due: times.map(({ scheduledAt }) => scheduledAt), before, overlap };
  const steered = { name, did: 'backfill', done, due: times, ...(unread.length > 0 && { unread }) } as const;
  const document = (runs?: RunLine[]): void => {
    if (options.json) terminal.document('steered', { ...steered, ...(runs && { runs }) });
  };
  if (!done || !options.wait) return (document(), exit.done);
  const { code, runs } = await waitForRuns(context, project, state, asked).catch((error: unknown) => {
    // What was begun is said, whatever comes of the wait for it.
    document();
    throw error;
  });
  document(runs);
  if (code === exit.interrupted)
    throw new CommandError('interrupted: the runs go on without this command', { remedy: `portolan schedule show ${name}`, code });
  return code;
}

/** `delete`: with `--yes` the schedules are gone; their runs stay. */
export async function deleteSchedules(
  { options, terminal }: ScheduleContext,
  { place }: Project,
  names: readonly string[],
): Promise<number> {
  const done = options.yes ?? false;
  for (const state of await findSchedules(place, names)) {
    const { name } = state;
    if (done) await deleteSchedule(place, state);
    if (options.json) terminal.document('steered', { name, did: 'delete', done });
    else terminal.out(done ? `${name} is deleted; its runs stay\n` : `${name} would be deleted; its runs stay: add --yes\n`);
  }
  return exit.done;
}
