import { CancellationScope, CancelledFailure, condition, sleep, startChild } from '@temporalio/workflow';
import { factsOf, type NamedStart, type RunInput } from '../pipelines/run-start.ts';
import type { Json } from '../text/json.ts';
import { resultOf } from './child-result.ts';
import { createChildSignals } from './child-signals.ts';
import { childStartOf } from './child-start.ts';
import { isLeftAt, placeOf } from './interpreter/block.ts';
import { childAt, isOpen } from './interpreter/children.ts';
import type { ChildState, Command, Event, State, World } from './interpreter/state.ts';
import { workflowType } from './messages.ts';
import { wholeOutputs } from './perform.ts';
import { undoRun } from './undo-run.ts';

type ChildCommand = Extract<Command, { do: 'child' }>;

/** A run that was begun before this one continued as new is looked for so often: nobody else would say that it was terminated. */
const lookMs = 3_600_000;

type Around = {
  state: State;
  world: () => World;
  start: NamedStart;
  post: (event: Event) => void;
  draining: () => boolean;
};

/**
 * Runs of pipelines that are steps of this run, and the one that takes it back. They outlive it where it continues as new, and where
 * it is terminated: each reports how it stands and how it ends by a signal to the workflow above it, whichever execution that is in by
 * then.
 */
export function createChildren({ state, world, start, post, draining }: Around) {
  const { steer, cancel, look, delivered } = createChildSignals(start.id);
  const starting = new Set<string>();
  const gone = (step: string, { run }: ChildState): void => {
    const error = { type: 'Terminated', message: 'it ended without a word: somebody terminated its workflow' };
    post({ is: 'report', report: { step, run, state: 'failed', asks: [], error } });
  };

  /** Begins the run. Fails with `BadInput` where its parameters are not what its file declares, and where it cannot be started. */
  async function begin(step: string, child: ChildState): Promise<void> {
    const { own, childStart } = step === '' ? undoRun(state, world(), start) : childStartOf(step, child, state, world(), start);
    const handle = await startChild(workflowType, {
      workflowId: child.run,
      args: [{ plan: own, start: childStart } satisfies RunInput],
      memo: factsOf(own, childStart),
      // It survives when this run continues as new; what cancels it says so itself.
      parentClosePolicy: 'ABANDON',
      cancellationType: 'ABANDON',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowTaskTimeout: '5s',
      staticSummary: `${own.pipeline} · run ${child.run}`,
    });
    void handle
      .result()
      .catch(() => undefined)
      .then(() => gone(step, child));
  }

  /** How long the run of a step may take, in milliseconds; 0: without end. */
  const deadlineOf = (step: string): number => (step === '' ? 0 : placeOf(world().plan, step).planned.timeouts.deadlineMs);

  /** Waits for the end of a run, cancels it where its step is given up or out of time; `left`: this run continues as new meanwhile. */
  async function ended({ step, attach }: ChildCommand, child: ChildState, given: CancellationScope): Promise<'ended' | 'late' | 'left'> {
    async function lookForIt(): Promise<void> {
      if (!(await look(child))) gone(step, child);
    }
    given.cancelRequested.catch(async () => {
      const known = await cancel(child);
      if (attach || !known) await lookForIt();
    });
    if (attach) void lookForIt();
    const leaves = (): boolean => draining() && !given.consideredCancelled && !isLeftAt(state, world().plan, step);
    const over = (): boolean => !isOpen(child) || leaves();
    const deadlineMs = deadlineOf(step);
    const deadline = new CancellationScope();
    let isLate = false;
    const passed = (): void => {
      isLate = !given.consideredCancelled;
      given.cancel();
    };
    if (deadlineMs > 0) void deadline.run(() => sleep(Math.max(1, child.since + deadlineMs - Date.now()))).then(passed, () => undefined);
    if (attach) while (!(await condition(over, lookMs))) await lookForIt();
    else await condition(over);
    deadline.cancel();
    return isOpen(child) ? 'left' : isLate ? 'late' : 'ended';
  }

  /** Begins the run of a step, or waits for one that has begun, and gives what it gave. */
  async function perform(command: ChildCommand): Promise<Json> {
    const given = CancellationScope.current();
    const { step } = command;
    const child = childAt(state, step)!;
    return CancellationScope.nonCancellable(async () => {
      if (!command.attach) {
        starting.add(step);
        await begin(step, child).finally(() => starting.delete(step));
        if (state.paused) void steer(child, state.paused);
      }
      const how = await ended(command, child, given);
      if (how === 'left') throw new CancelledFailure('the run continues as new');
      const isLate = how === 'late';
      return await wholeOutputs(resultOf(child.report!, given.consideredCancelled && !isLate, isLate), command.key, world());
    });
  }

  return {
    perform,
    /** Pauses all runs that are under way, or lets them go on. */
    steer(): void {
      for (const step of ['', ...Object.keys(state.steps)]) {
        const child = childAt(state, step);
        if (child && isOpen(child) && !starting.has(step)) void steer(child, state.paused);
      }
    },
    /** Resolves when the server has all that was sent to them. */
    delivered,
  };
}
