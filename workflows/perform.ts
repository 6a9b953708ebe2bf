import { ApplicationFailure, proxyActivities, sleep } from '@temporalio/workflow';
import {
  activityType,
  evaluateActivity,
  inspectActivity,
  keepActivity,
  loopActivities,
  type EvaluateInput,
  type KeepInput,
  type Plan,
  type RunRef,
} from '../pipelines/plan.ts';
import { isKept, isLarge } from '../pipelines/kept.ts';
import type { Json } from '../text/json.ts';
import { argumentsOf, type Work } from './interpreter/arguments.ts';
import { placeOf } from './interpreter/block.ts';
import { bytesOf, mostAtOnce } from './interpreter/bytes-of.ts';
import type { Command, State, World } from './interpreter/state.ts';

const minute = 60_000;

/** How long it is asked what became of a chunk: the worker that sent it may have ended, and the next one takes its time. */
const settleMinutes = 10;

/** How long a run that is to continue as new waits for a store that is away: it could not go on without it. */
const keepMinutes = 7 * 24 * 60;

/** Does a command of the interpreter: a timer or an activity. Fails as Temporal says. */
export function perform(command: Exclude<Command, { do: 'child' }>, state: State, world: World): Promise<Json> {
  if (command.do === 'timer') return sleep(command.ms).then(() => null);
  const { type, what, timeouts } = orderOf(command, state, world);
  const args = argumentsOf(command, state, world);
  // What is longer than all the room was sent alone: no other is measured again.
  const bytes = world.room && world.room.left < 0 ? bytesOf(args) : 0;
  if (bytes > mostAtOnce) return Promise.reject(tooLong(bytes));
  return activity(type, command.key, what, timeouts, args);
}

const tooLong = (bytes: number): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `what it reads of other steps comes to ${bytes.toLocaleString('en-US')} bytes, and at most ${mostAtOnce.toLocaleString('en-US')} can be handed to a worker: read fewer steps at once`,
    'BadInput',
  );

type Timeouts = { attemptMs: number; deadlineMs: number };

/** Work over the run store alone. */
const quick: Timeouts = { attemptMs: minute, deadlineMs: 60 * minute };

/** The activity that does it, what Temporal's pages call it, and how long it may take. */
function orderOf(command: Work, state: State, { plan }: World): { type: string; what: string; timeouts: Timeouts } {
  switch (command.do) {
    case 'inspect':
      return { type: inspectActivity, what: 'fingerprint the sources', timeouts: inspectionTimeouts(plan) };
    case 'evaluate':
      return { type: evaluateActivity, what: 'evaluate over the run store', timeouts: quick };
    case 'items':
      return { type: loopActivities.items, what: `${command.step}: items from ${command.from + 1} on`, timeouts: quick };
    case 'collect':
      return { type: loopActivities.collect, what: `${command.step}: ${command.rows.length} rows`, timeouts: quick };
    case 'gather':
      return { type: loopActivities.gather, what: `${command.step}: the table of its rows`, timeouts: quick };
    case 'activity':
      return stepOrder(command, state, plan);
  }
}

function stepOrder(
  { step, phase: of, chunk }: Extract<Work, { do: 'activity' }>,
  state: State,
  plan: Plan,
): { type: string; what: string; timeouts: Timeouts } {
  const { planned } = placeOf(plan, step);
  const phase = of === 'chunk' ? 'main' : of;
  const { pollMs } = planned.timeouts;
  const timeouts =
    of === 'settle'
      ? { attemptMs: minute, deadlineMs: settleMinutes * minute }
      : of === 'check' && pollMs !== undefined
        ? { ...planned.timeouts, deadlineMs: pollMs }
        : planned.timeouts;
  const what =
    chunk === undefined ? of : `${of === 'settle' ? 'what became of ' : ''}chunk ${chunk + 1} of ${state.steps[step]!.sweep!.chunks}`;
  return { type: activityType(planned.use, phase), what: `${planned.id}: ${what === 'main' ? planned.use : what}`, timeouts };
}

/** Outputs of another run as one result: a worker puts it into the store of this run where it is large, or a part of it is. */
export async function wholeOutputs(outputs: { [name: string]: Json }, key: string, { run }: World): Promise<Json> {
  const values = Object.values(outputs);
  if (!isLarge(outputs) && !values.some(isKept)) return outputs;
  const names = values.map((_, at) => `o${at}`);
  const args: EvaluateInput = {
    run,
    tree: Object.fromEntries(Object.keys(outputs).map((label, at) => [label, `\${{ steps.${names[at]} }}`])),
    scope: { params: {}, steps: Object.fromEntries(values.map((value, at) => [names[at]!, value])), run: {} },
  };
  return activity(evaluateActivity, `${key}/outputs`, 'keep what the run gave', quick, args);
}

/** Puts values into the run store, whatever their size, and gives what names them there. */
export const keepValues = (run: RunRef, values: Json[], batch: number): Promise<Json[]> =>
  activity(keepActivity, `/keep/${batch}`, 'keep what steps gave', { attemptMs: minute, deadlineMs: keepMinutes * minute }, {
    run,
    values,
  } satisfies KeepInput) as Promise<Json[]>;

/** The sources are read for their steps, and have the time of the one that has the most. */
function inspectionTimeouts({ steps, sources }: Plan): { attemptMs: number; deadlineMs: number } {
  const readers = steps.filter(({ id }) => sources.some(({ step }) => step === id)).map(({ timeouts }) => timeouts);
  const longest = (of: 'attemptMs' | 'deadlineMs'): number => Math.max(minute, ...readers.map((timeouts) => timeouts[of]));
  return { attemptMs: longest('attemptMs'), deadlineMs: longest('deadlineMs') };
}

/** Attempts are unlimited inside the deadline: waits for Retry-After use none up. */
function activity(
  type: string,
  activityId: string,
  summary: string,
  timeouts: { attemptMs: number; deadlineMs: number },
  args: unknown,
): Promise<Json> {
  const proxy = proxyActivities<Record<string, (args: unknown) => Promise<Json>>>({
    startToCloseTimeout: timeouts.attemptMs,
    scheduleToCloseTimeout: timeouts.deadlineMs,
    heartbeatTimeout: 3_000,
    // What was sent before a cancellation is recorded by whoever sent it.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    allowEagerDispatch: true,
    retry: { initialInterval: 250, backoffCoefficient: 2, maximumInterval: 30_000 },
    activityId,
    summary,
  });
  return proxy[type]!(args);
}
