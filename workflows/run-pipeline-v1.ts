import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  allHandlersFinished,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { lockedKey } from '../pipelines/lock.ts';
import { runOf, type RunInput } from '../pipelines/run-start.ts';
import { bytesOf, mostAtOnce } from './interpreter/bytes-of.ts';
import { hasEnded, reduce } from './interpreter/reduce.ts';
import { newRoom } from './interpreter/room.ts';
import type { World } from './interpreter/state.ts';
import { initialState, type Command, type Event, type State } from './interpreter/state.ts';
import { stillOpen } from './interpreter/take-over.ts';
import { detailsOf, viewOf } from './interpreter/view.ts';
import { createAlerts } from './alerts.ts';
import { announce } from './announce.ts';
import { asReplayed } from './as-replayed.ts';
import { begin, named, sayWho, takeUp } from './begin.ts';
import { wrongVersion } from './check-version.ts';
import { keepView } from './keep-view.ts';
import { lighten, type Lightening } from './lighten.ts';
import { listen } from './listen.ts';
import type { RunView } from './messages.ts';
import { releaseLock } from './release-lock.ts';
import { keepValues, perform } from './perform.ts';
import { refuse } from './refuse.ts';
import { createReports } from './report-above.ts';
import { createChildren } from './run-child.ts';
import { isGivenUp, runError } from './run-error.ts';
import { withdraw } from './withdraw.ts';

/** Events after which a run continues as a new one; the server suggests it later, at 4,096. */
const mostEvents = 3_500;

/** Where a cancelled run does: a later execution of it cannot end as cancelled. The server ends one of 51,200 events or 50 MiB. */
const mostCancelled = { events: 40_000, bytes: 40_000_000 };

const tooLong = {
  type: 'BadInput',
  message: `the run is longer than ${mostAtOnce.toLocaleString('en-US')} bytes, which is what it can hand on: its steps hold too much between them`,
  details: { remedy: 'move parts of the file into pipelines of their own (use: ./other.yaml), or give what is long by a file' },
};

/** Runs a compiled plan. The version is part of the type: histories of an older interpreter stay with their own code. */
export async function runPipelineV1(input: RunInput): Promise<RunView> {
  const { plan, noticed = [] } = input;
  const wrong = wrongVersion(plan);
  if (wrong) return refuse(input, wrong);
  let { reuse } = input;
  let start = named(input);
  let run = runOf(plan, start);
  sayWho(plan, start);
  const state = (input.state as State | undefined) ?? initialState(plan);
  const events: Event[] = [];
  const scopes = new Map<string, CancellationScope>();
  let draining = false;
  let isTooLong = false;
  let announced = '';
  const alerts = createAlerts(plan, run, { noticed, connections: start.connections });
  const handed = (): RunInput => ({
    plan,
    start,
    state,
    ...alerts.noticed(),
    ...(reuse ? { reuse: stillOpen(reuse, state) } : {}),
  });
  /** Whether the run is to continue as new, and begins nothing until then. */
  const drains = (): boolean => {
    const { continueAsNewSuggested, historyLength, historySize } = workflowInfo();
    if (isTooLong) return false;
    if (state.cancelled) return historyLength > mostCancelled.events || historySize > mostCancelled.bytes;
    return draining || continueAsNewSuggested || historyLength > mostEvents;
  };
  const reports = createReports(start, input.state !== undefined);
  const room = newRoom();
  const world = (): World => ({ plan, run, now: Date.now(), room, ...(reuse ? { reuse } : {}) });
  const viewNow = (): RunView => asReplayed(viewOf(state, world()));
  const started: Event = { is: 'start' };
  const post = (event: Event): void => void events.push(event);

  const heard = listen({ state, view: () => viewOf(state, world()), events });
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
        (held) => events.unshift(...(held ? [started] : [{ is: 'queued' as const, for: lockedKey(plan.concurrency!) }, ...heard.answer()])),
        (error: unknown) => isCancellation(error) || events.unshift({ is: 'refused', error: runError(error) }),
      );

  const children = createChildren({ state, world, start, post, draining: () => draining });
  heard.listenBelow();

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
          over(isGivenUp(error) ? { is: 'withdrawn', key: command.key } : { is: 'failed', key: command.key, error: runError(error) }),
      );
  };

  const lightening: Lightening = {
    keep: (values, batch) => keepValues(run, values, batch),
    collect: (command) =>
      perform(command, state, world()).then(
        () => true,
        () => false,
      ),
  };

  let renewing = false;
  /** When the timer fires, the server has the commands of the task that set it, and all before them. */
  const renewRoom = async (): Promise<void> => {
    if (renewing || !room.short) return;
    renewing = true;
    await sleep(1);
    renewing = false;
    Object.assign(room, newRoom());
    post({ is: 'room' });
  };

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      await condition(() => events.length > 0);
      for (const event of events.splice(0)) {
        const paused = state.paused !== undefined;
        // A cancellation may come when nothing is under way whose end would have what stands under `finally` begin.
        draining = event.is !== 'cancel' && drains();
        for (const command of reduce(state, event, world(), draining)) send(command);
        if (paused !== (state.paused !== undefined)) children.steer();
      }
      draining = drains();
      void renewRoom();
      withdraw(scopes, state, plan, draining);
      const view = viewNow();
      setCurrentDetails(detailsOf(view));
      announced = announce(view, announced);
      reports.say(view);
      alerts.look(view);
      if (events.length > 0 || !(hasEnded(state) || (draining && state.inflight.length === 0))) continue;
      // What comes meanwhile is taken first.
      const lighter = lighten(state, hasEnded(state) ? view : handed(), lightening);
      await Promise.all([alerts.begun(), children.delivered(), reports.delivered(), lighter]);
      if (events.length > 0) continue;
      if (hasEnded(state) || bytesOf(handed()) <= mostAtOnce) break;
      isTooLong = true;
      post({ is: 'refused', error: tooLong });
    }
    await condition(allHandlersFinished);
    if (!hasEnded(state)) return;
    // Before anybody hears of the end: who goes on with the run at once reads it in its folder. Where that is another run's, it
    // says how the other one ended.
    if (state.error?.type !== 'RunExists') keepView(run.store, viewNow());
    await Promise.all([alerts.ended(viewNow()), reports.end(viewNow())]);
  });

  if (!hasEnded(state)) await makeContinueAsNewFunc<typeof runPipelineV1>({})(handed());
  const view = viewNow();
  releaseLock(plan);
  if (state.cancelled) throw new CancelledFailure('cancelled', [view]);
  if (state.error)
    throw ApplicationFailure.create({
      nonRetryable: true,
      type: state.error.type,
      message: state.error.message.toWellFormed(),
      details: [view],
    });
  return view;
}
