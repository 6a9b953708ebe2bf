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
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { answerSignal, type LockAnswer } from '../pipelines/lock.ts';
import type { Plan } from '../pipelines/plan.ts';
import { runOf, type RunInput } from '../pipelines/run-start.ts';
import { celVersion } from '../pipelines/expressions/environment.ts';
import { isLeftAt } from './interpreter/block.ts';
import { hasEnded, reduce } from './interpreter/reduce.ts';
import type { World } from './interpreter/state.ts';
import { initialState, parseKey, type Command, type Event, type State } from './interpreter/state.ts';
import { isStopped } from './interpreter/stopped.ts';
import { stillOpen } from './interpreter/take-over.ts';
import { detailsOf, viewOf } from './interpreter/view.ts';
import { createAlerts } from './alerts.ts';
import { begin, named, sayWho, takeUp } from './begin.ts';
import { keepView } from './keep-view.ts';
import { releaseLock } from './release-lock.ts';
import { perform } from './perform.ts';
import { createReports } from './report-above.ts';
import { createChildren } from './run-child.ts';
import {
  query,
  signal,
  update,
  type ChildReport,
  type Decision,
  type PauseRequest,
  type ResumeRequest,
  type RunError,
  type RunMemo,
  type RunView,
} from './messages.ts';

/** Events after which a run continues as a new one; the server suggests it later, at 4,096. */
const mostEvents = 3_500;

/** Runs a compiled plan. The version is part of the type: histories of an older interpreter stay with their own code. */
export async function runPipelineV1(input: RunInput): Promise<RunView> {
  const { plan, noticed = [] } = input;
  checkVersion(plan);
  let { reuse } = input;
  let start = named(input);
  let run = runOf(plan, start);
  sayWho(plan, start);
  const state = (input.state as State | undefined) ?? initialState(plan);
  const events: Event[] = [];
  const scopes = new Map<string, CancellationScope>();
  let draining = false;
  let announced = '';
  const alerts = createAlerts(plan, run, noticed);
  const reports = createReports(start, input.state !== undefined);
  const world = (): World => ({ plan, run, now: Date.now(), ...(reuse ? { reuse } : {}) });
  const started: Event = { is: 'start' };
  const post = (event: Event): void => void events.push(event);

  setHandler(defineQuery<RunView>(query.view), () => viewOf(state, world()), { description: 'The run with its steps' });
  setHandler(defineSignal<[PauseRequest]>(signal.pause), (request) => post({ is: 'pause', request }), {
    description: 'Send nothing new; what is under way ends',
  });
  setHandler(defineSignal<[ResumeRequest?]>(signal.resume), (by) =>
    post({ is: 'resume', ...(by?.with !== undefined && { with: by.with }) }),
  );
  let answer: Event | undefined;
  setHandler(defineSignal<[LockAnswer]>(answerSignal), (given) => post((answer = { is: 'answered', answer: given })), {
    description: 'The lock reports whether the run has its key',
  });
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
  // Whatever came in the meantime came after it. What cancels a run is an event of its own.
  if (input.state) {
    if (!state.queued) post(started);
  } else
    await takeUp(plan, start, reuse)
      .then((taken) => {
        ({ start, reuse } = { reuse: undefined, ...taken });
        run = runOf(plan, start);
        return begin(plan, start);
      })
      .then(
        // The lock may have answered an earlier attempt to ask.
        (held) =>
          events.unshift(...(held ? [started] : [{ is: 'queued' as const, for: plan.concurrency!.key }, ...(answer ? [answer] : [])])),
        (error: unknown) => isCancellation(error) || events.unshift({ is: 'refused', error: runError(error) }),
      );

  const children = createChildren({ state, world, start, post, draining: () => draining });
  setHandler(defineSignal<[ChildReport]>(signal.report), (report) => post({ is: 'report', report }), {
    description: 'How the run of a step stands',
  });
  setHandler(defineSignal(signal.look), () => undefined, { description: 'Nothing: whoever sends it learns that the run is there' });

  const send = (command: Command): void => {
    const scope = new CancellationScope({ cancellable: true });
    scopes.set(command.key, scope);
    const over = (event: Event): void => {
      scopes.delete(command.key);
      post(event);
    };
    scope
      .run(() => (command.do === 'child' ? children.perform(command) : perform(command, state, world())))
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
      for (const event of events.splice(0)) {
        const paused = state.paused !== undefined;
        for (const command of reduce(state, event, world(), draining)) send(command);
        if (paused !== (state.paused !== undefined)) children.steer();
      }
      withdraw(scopes, state, plan, draining);
      const view = viewOf(state, world());
      setCurrentDetails(detailsOf(view));
      announced = announce(view, announced);
      reports.say(view);
      alerts.look(view);
      if (events.length > 0 || !(hasEnded(state) || (draining && state.inflight.length === 0))) continue;
      // What comes meanwhile is taken first.
      await Promise.all([alerts.begun(), children.delivered(), reports.delivered()]);
      if (events.length === 0) break;
    }
    await condition(allHandlersFinished);
    if (hasEnded(state)) await Promise.all([alerts.ended(viewOf(state, world())), reports.end(viewOf(state, world()))]);
  });

  if (!hasEnded(state))
    await makeContinueAsNewFunc<typeof runPipelineV1>({})({
      plan,
      start,
      state,
      ...alerts.noticed(),
      ...(reuse ? { reuse: stillOpen(reuse, state) } : {}),
    });
  const view = viewOf(state, world());
  releaseLock(plan);
  keepView(run.store, view);
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

const openStates: ReadonlySet<RunView['state']> = new Set(['running', 'queued', 'paused', 'approval']);

/** Says in the memo, where lists of runs read it, that a run waits for a person or is paused; what was said last is not said again. */
function announce({ state, steps }: RunView, last: string): string {
  const asks = steps.filter(({ status }) => status === 'approval').map(({ id }) => id);
  const said = JSON.stringify([state, asks]);
  const first = last === '' && state === 'running' && asks.length === 0;
  if (said !== last && !first && openStates.has(state)) upsertMemo({ state, asks } satisfies Pick<RunMemo, 'state' | 'asks'>);
  return said;
}

/**
 * Gives up what need not end: waits when the run drains, fails or is cancelled, the timer of a gate that was decided, runs of
 * pipelines that are not gone on with, all work under way when the run is cancelled, but for what stands under `finally`, and chunks of
 * rows that go on later or not at all.
 */
function withdraw(scopes: Map<string, CancellationScope>, state: State, plan: Plan, draining: boolean): void {
  for (const [key, scope] of scopes) {
    const { step, phase } = parseKey(key);
    const decided = phase === 'expire' && state.steps[step]?.status !== 'approval';
    const waits = phase === 'check' || phase === 'expire' || phase === 'retry';
    const left = phase !== 'settle' && (waits || phase === 'child' || state.cancelled) && isLeftAt(state, plan, step);
    if (decided || left || (draining && waits) || isStopped(state, plan, key)) scope.cancel();
  }
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
