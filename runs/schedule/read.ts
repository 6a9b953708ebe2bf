import { ScheduleNotFoundError, type Client, type ScheduleDescription } from '@temporalio/client';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import type { RunInput } from '../../pipelines/run-start.ts';
import { suggestion } from '../../text/nearest.ts';
import { NoSchedule } from '../errors.ts';
import type { RunPlace } from '../find.ts';
import { nameIn, scheduleId } from './id.ts';

/** What a schedule keeps beside what it starts: the `schedule:` of its file, and who gave it to the server when. */
export type ScheduleMemo = {
  schedule: Schedule;
  /** What the command named: with it the file is compiled again to see whether it has changed since. */
  environment?: string;
  connection?: string;
  accept?: string[];
  appliedAt: string;
};

/** A schedule as the server has it. */
export type ScheduleState = ScheduleMemo & {
  name: string;
  /** When the server got it first (ISO 8601). */
  createdAt: string;
  paused: boolean;
  note: string;
  /** What it starts: the frozen plan, and all that a run is beside it. */
  input: RunInput;
  /** When it starts runs next, with its jitter; none while it is paused. */
  next: string[];
  /** The last starts, oldest first. */
  recent: { at: string; startedAt: string; workflowId: string; firstRunId: string }[];
  /** Runs that go on. */
  running: number;
  /** Times at which it was due and started nothing: while the server was away for longer than `catchUp`, and while a run went on. */
  missed: number;
  overlapped: number;
  /** Runs that are kept for when the one that goes on has ended. */
  kept: number;
  started: number;
};

/** Undefined of one that somebody made otherwise. */
const stateOf = (name: string, { action, info, state, raw }: ScheduleDescription): ScheduleState | undefined => {
  const memo = action.memo as Partial<ScheduleMemo> | undefined;
  const [input] = (action.args ?? []) as RunInput[];
  if (memo?.schedule === undefined || memo.appliedAt === undefined || input === undefined) return undefined;
  const { schedule, environment, connection, accept, appliedAt } = memo;
  return {
    schedule,
    appliedAt,
    ...(environment === undefined ? {} : { environment }),
    ...(connection === undefined ? {} : { connection }),
    ...(accept === undefined ? {} : { accept }),
    name,
    createdAt: info.createdAt.toISOString(),
    paused: state.paused,
    note: state.note ?? '',
    input,
    next: state.paused ? [] : info.nextActionTimes.map((at) => at.toISOString()),
    recent: info.recentActions.map(({ scheduledAt, takenAt, action: { workflow } }) => ({
      at: scheduledAt.toISOString(),
      startedAt: takenAt.toISOString(),
      workflowId: workflow.workflowId,
      firstRunId: workflow.firstExecutionRunId,
    })),
    running: info.runningActions.length,
    missed: info.numActionsMissedCatchupWindow,
    overlapped: info.numActionsSkippedOverlap,
    kept: Number(raw.info?.bufferSize ?? 0),
    started: info.numActionsTaken,
  };
};

/** A schedule by its name; undefined where there is none. */
export async function readSchedule({ client, storeRoot }: RunPlace, name: string): Promise<ScheduleState | undefined> {
  const handle = client.schedule.getHandle(scheduleId(storeRoot, name));
  const found = await handle.describe().catch((error: unknown) => {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  });
  return found && stateOf(name, found);
}

/** Names of the schedules of a run store. */
export async function scheduleNames({ client, storeRoot }: RunPlace): Promise<string[]> {
  const names: string[] = [];
  for await (const { scheduleId: id } of client.schedule.list()) {
    const name = nameIn(storeRoot, id);
    if (name !== undefined) names.push(name);
  }
  return names.toSorted();
}

/** The same; fails with `NoSchedule` where there is none, and names one that may have been meant. */
export async function findSchedule(place: RunPlace, name: string): Promise<ScheduleState> {
  const found = await readSchedule(place, name);
  if (found) return found;
  throw new NoSchedule(
    `there is no schedule '${name}'${suggestion(name, await scheduleNames(place))}`,
    'portolan schedule list shows those there are; portolan schedule apply FILE makes one',
  );
}

/** Several by their names; fails with `NoSchedule` where there is no such one. */
export const findSchedules = (place: RunPlace, names: readonly string[]): Promise<ScheduleState[]> =>
  Promise.all(names.map((name) => findSchedule(place, name)));

/** Every schedule of a run store, by name; one that goes in the meantime is left out. */
export async function listSchedules(place: RunPlace): Promise<ScheduleState[]> {
  const found = await Promise.all((await scheduleNames(place)).map((name) => readSchedule(place, name)));
  return found.flatMap((each) => each ?? []);
}

/** The handle by which a schedule is steered. */
export const scheduleHandle = ({ client, storeRoot }: { client: Client; storeRoot: string }, name: string) =>
  client.schedule.getHandle(scheduleId(storeRoot, name));
