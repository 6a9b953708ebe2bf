import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  allHandlersFinished,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  makeContinueAsNewFunc,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import {
  activityType,
  evaluateActivity,
  inspectActivity,
  type ActivityInput,
  type EvaluateInput,
  type Plan,
  type RunInput,
} from '../pipelines/plan.ts';
import type { Json } from '../text/json.ts';
import { celVersion } from '../pipelines/expressions/environment.ts';
import { scopeFor, scopeOf } from './interpreter/scope.ts';
import { hasEnded, reduce } from './interpreter/reduce.ts';
import type { World } from './interpreter/state.ts';
import { initialState, parseKey, type Command, type Event, type State } from './interpreter/state.ts';
import { stillOpen } from './interpreter/take-over.ts';
import { detailsOf, viewOf } from './interpreter/view.ts';
import { query, signal, update, type Decision, type PauseRequest, type RunError, type RunMemo, type RunView } from './messages.ts';

const minute = 60_000;

/** Events after which a run continues as a new one; the server suggests it later, at 4,096. */
const mostEvents = 3_500;

/** Runs a compiled plan. The version is part of the type: histories of an older interpreter stay with their own code. */
export async function runPipelineV1(input: RunInput): Promise<RunView> {
  const { plan, run, reuse } = input;
  checkVersion(plan);
  const state = (input.state as State | undefined) ?? initialState(plan);
  const events: Event[] = [{ is: 'start' }];
  const scopes = new Map<string, CancellationScope>();
  let draining = false;
  let announced = '';
  const world = (): World => ({ plan, run, now: Date.now(), ...(reuse ? { reuse } : {}) });
  const post = (event: Event): void => void events.push(event);

  setHandler(defineQuery<RunView>(query.view), () => viewOf(state, world()), { description: 'The run with its steps' });
  setHandler(defineSignal<[PauseRequest]>(signal.pause), (request) => post({ is: 'pause', request }), {
    description: 'Send nothing new; what is under way ends',
  });
  setHandler(defineSignal(signal.resume), () => post({ is: 'resume' }));
  const decide = async (decision: Decision): Promise<void> => {
    const event: Event = { is: 'decide', decision };
    post(event);
    await condition(() => !events.includes(event));
    // The gate may have expired, or the run ended, in the same moment.
    if (state.steps[decision.step]?.decision === undefined) throw noSuchGate(state, decision.step);
  };
  setHandler(defineUpdate<void, [Decision]>(update.decide), decide, {
    description: 'Approve or reject a gate',
    validator: ({ step }) => {
      const decided = events.some((event) => event.is === 'decide' && event.decision.step === step);
      if (decided || state.steps[step]?.status !== 'approval') throw noSuchGate(state, step);
    },
  });
  const cancelled = CancellationScope.current().cancelRequested.catch(() => post({ is: 'cancel' }));
  void cancelled;

  const start = (command: Command): void => {
    const scope = new CancellationScope({ cancellable: true });
    scopes.set(command.key, scope);
    const over = (event: Event): void => {
      scopes.delete(command.key);
      post(event);
    };
    scope
      .run(() => perform(command, state, world()))
      .then(
        (result) => over({ is: 'ended', key: command.key, result }),
        (error: unknown) =>
          over(isCancellation(error) ? { is: 'withdrawn', key: command.key } : { is: 'failed', key: command.key, error: runError(error) }),
      );
  };

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      await condition(() => events.length > 0);
      draining ||= workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > mostEvents;
      for (const event of events.splice(0)) for (const command of reduce(state, event, world(), draining)) start(command);
      withdraw(scopes, state, draining || state.cancelled || state.error !== undefined);
      const view = viewOf(state, world());
      setCurrentDetails(detailsOf(view));
      announced = announce(view, announced);
      if (hasEnded(state) && events.length === 0) break;
      if (draining && state.inflight.length === 0 && events.length === 0) break;
    }
    await condition(allHandlersFinished);
  });

  if (!hasEnded(state))
    await makeContinueAsNewFunc<typeof runPipelineV1>({})({ plan, run, state, ...(reuse ? { reuse: stillOpen(reuse, state) } : {}) });
  const view = viewOf(state, world());
  if (state.cancelled) throw new CancelledFailure('cancelled', [view]);
  if (state.error)
    throw ApplicationFailure.create({ nonRetryable: true, type: state.error.type, message: state.error.message, details: [view] });
  return view;
}

function noSuchGate({ steps }: State, step: string): ApplicationFailure {
  const decision = steps[step]?.decision;
  const by = decision ? `: ${decision.who} ${decision.approve ? 'approved' : 'rejected'} it` : '';
  return ApplicationFailure.nonRetryable(`step '${step}' waits for no decision${by}`, 'NoSuchGate');
}

/** A plan means what it means under its own interpreter and expression library only. */
function checkVersion(plan: Partial<Plan> | undefined): void {
  if (plan?.version !== 1)
    throw ApplicationFailure.nonRetryable(
      `this worker runs plans of version 1, not ${String(plan?.version)}: update the worker`,
      'PlanVersion',
    );
  if (plan.cel !== celVersion)
    throw ApplicationFailure.nonRetryable(
      `the plan was made for expressions of ${String(plan.cel)}, this worker has ${celVersion}: start the run again with the worker's version of Portolan, or start a worker of the plan's`,
      'PlanVersion',
    );
}

/** Says in the memo, where lists of runs read it, that a run waits for a person or is paused; what was said last is not said again. */
function announce({ state, steps }: RunView, last: string): string {
  const asks = steps.filter(({ status }) => status === 'approval').map(({ id }) => id);
  const said = JSON.stringify([state, asks]);
  const first = last === '' && state === 'running' && asks.length === 0;
  if (said !== last && !first && (state === 'running' || state === 'paused' || state === 'approval'))
    upsertMemo({ state, asks } satisfies Pick<RunMemo, 'state' | 'asks'>);
  return said;
}

/**
 * Gives up what need not end: waits when the run drains, fails or is cancelled, the timer of a gate that was decided,
 * and all work under way when the run is cancelled.
 */
function withdraw(scopes: Map<string, CancellationScope>, state: State, closing: boolean): void {
  for (const [key, scope] of scopes) {
    const { step, phase } = parseKey(key);
    const decided = phase === 'expire' && state.steps[step]?.status !== 'approval';
    if (state.cancelled || decided || (closing && (phase === 'check' || phase === 'expire'))) scope.cancel();
  }
}

function perform(command: Command, state: State, world: World): Promise<Json> {
  const { plan, run } = world;
  if (command.do === 'timer') return sleep(command.ms).then(() => null);
  if (command.do === 'inspect') {
    return activity(inspectActivity, command.key, 'fingerprint the sources', inspectionTimeouts(plan), { run, sources: plan.sources });
  }
  if (command.do === 'evaluate') {
    const { tree, each } = command;
    const args: EvaluateInput = { run, tree, scope: scopeFor(tree, scopeOf(state, world)), ...(each ? { each } : {}) };
    return activity(evaluateActivity, command.key, 'evaluate over the run store', { attemptMs: minute, deadlineMs: 60 * minute }, args);
  }
  const planned = plan.steps.find((step) => step.id === command.step)!;
  const { sweep, token, counts, input } = state.steps[command.step]!;
  const args: ActivityInput = {
    run,
    step: {
      id: planned.id,
      use: planned.use,
      ...(planned.version === undefined ? {} : { version: planned.version }),
      connections: planned.connections,
      ...(planned.tolerate ? { tolerate: planned.tolerate } : {}),
      ...(planned.approved ? { approved: planned.approved } : {}),
    },
    input: input ?? null,
    sources: state.sources ?? {},
    ...(command.chunk === undefined ? {} : { chunk: command.chunk }),
    ...(sweep ? { state: sweep.state } : {}),
    ...(command.phase === 'finish' ? { counts: counts ?? {} } : {}),
    ...(command.phase === 'check' ? { token: token ?? null } : {}),
  };
  const phase = command.phase === 'chunk' ? 'main' : command.phase;
  const { pollMs } = planned.timeouts;
  const timeouts = command.phase === 'check' && pollMs !== undefined ? { ...planned.timeouts, deadlineMs: pollMs } : planned.timeouts;
  const what = command.chunk === undefined ? command.phase : `chunk ${command.chunk + 1} of ${sweep!.chunks}`;
  return activity(activityType(planned.use, phase), command.key, `${planned.id}: ${what === 'main' ? planned.use : what}`, timeouts, args);
}

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
    cancellationType: 'TRY_CANCEL',
    allowEagerDispatch: true,
    retry: { initialInterval: 250, backoffCoefficient: 2, maximumInterval: 30_000 },
    activityId,
    summary,
  });
  return proxy[type]!(args);
}

/** The root cause of a failed command, small enough for a history. */
function runError(error: unknown): RunError {
  const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
  if (cause instanceof ApplicationFailure) {
    const [details] = (cause.details ?? []) as [RunError['details']?];
    return { type: cause.type ?? 'Error', message: cause.message, ...(details ? { details } : {}) };
  }
  return { type: cause instanceof Error ? cause.name : 'Error', message: cause instanceof Error ? cause.message : String(cause) };
}
