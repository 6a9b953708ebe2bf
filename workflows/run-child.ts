import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  getExternalWorkflowHandle,
  startChild,
} from '@temporalio/workflow';
import { folderOf, instantiate, WrongParam } from '../pipelines/instantiate.ts';
import { isKept } from '../pipelines/kept.ts';
import { childRunId, factsOf, type NamedStart, type RunInput } from '../pipelines/run-start.ts';
import type { FormerRun, FormerTry, Plan, SubPlan } from '../pipelines/plan.ts';
import type { Json } from '../text/json.ts';
import { isLeftAt, placeOf } from './interpreter/block.ts';
import { childAt, isOpen } from './interpreter/children.ts';
import type { ChildState, Command, Event, State, World } from './interpreter/state.ts';
import { signal, workflowType, type ChildReport, type PauseRequest, type ResumeRequest } from './messages.ts';
import { wholeOutputs } from './perform.ts';
import { beneath, undoRun } from './undo-run.ts';

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
 * Runs of pipelines that are steps of this run, and the one that takes it back. They outlive it where it continues as new, and where it is terminated: each reports how it
 * stands and how it ends by a signal to the workflow above it, whichever execution that is in by then.
 */
export function createChildren({ state, world, start, post, draining }: Around) {
  const sent = new Set<Promise<unknown>>();
  const starting = new Set<string>();
  /** Sends without waiting; the run does not continue as new before the server has it. */
  const deliver = (child: ChildState, does: (handle: ReturnType<typeof getExternalWorkflowHandle>) => Promise<void>): Promise<boolean> => {
    const done = does(getExternalWorkflowHandle(child.run))
      .then(
        () => true,
        () => false,
      )
      .finally(() => sent.delete(done));
    sent.add(done);
    return done;
  };
  const gone = (step: string, { run }: ChildState): void => {
    const error = { type: 'Terminated', message: 'it ended without a word: somebody terminated its workflow' };
    post({ is: 'report', report: { step, run, state: 'failed', asks: [], error } });
  };
  const steer = (child: ChildState, request: PauseRequest | undefined): Promise<boolean> =>
    deliver(child, (handle) =>
      request ? handle.signal(signal.pause, above(request)) : handle.signal(signal.resume, { with: start.id } satisfies ResumeRequest),
    );
  const above = ({ who, note }: PauseRequest): PauseRequest => ({
    who,
    with: start.id,
    note: `with ${start.id}${note === undefined || note === '' ? '' : `: ${note}`}`,
  });

  /** Begins the run. Fails with `BadInput` where its parameters are not what its file declares, and where it cannot be started. */
  async function begin(step: string, child: ChildState): Promise<void> {
    const { own, childStart } = step === '' ? undoRun(state, world(), start) : runOfStep(step, child);
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

  /** What the run of a step is started with. */
  function runOfStep(step: string, child: ChildState): { own: Plan; childStart: NamedStart } {
    const { plan, run } = world();
    const { planned } = placeOf(plan, step);
    const sub = plan.pipelines![String(planned.version)]!;
    const given = state.steps[step]!.input as { [name: string]: Json };
    const made = planOf(sub, given, start.baseDir, plan);
    const before = [...triesBefore(step, child.run), ...(run.former?.runs ?? []).map((former) => earlier(former, step))];
    const { own, above: held } = beneath(made, plan, start);
    const { store, host, who } = start;
    const childStart: NamedStart = {
      id: child.run,
      store,
      baseDir: folderOf(sub),
      host,
      who,
      connections: Object.assign({}, ...own.steps.map(({ connections }) => connections)),
      origin: { run: run.id, step },
      ...(run.time && { at: run.time.scheduledAt }),
      file: sub.file,
      given: Object.keys(given),
      ...(held.length > 0 && { above: held }),
      ...(before.length > 0 && { before: { runs: before, late: lateSteps(sub, own) } }),
      ...(run.former?.settled && { former: { runs: [], settled: run.former.settled } }),
    };
    return { own, childStart };
  }

  /** How long the run of a step may take, in milliseconds; 0: without end. */
  const deadlineOf = (step: string): number => (step === '' ? 0 : placeOf(world().plan, step).planned.timeouts.deadlineMs);

  /** The tries before this one, the last one first. */
  function triesBefore(step: string, run: string): FormerRun[] {
    const turn = state.steps[step]!.retries?.begun ?? 0;
    const ids = Array.from({ length: turn }, (_, at) => childRunId(start.id, step, turn - at)).filter((id) => id !== run);
    return ids.map((id) => ({ run: id, store: storeOf(start.store, id) }));
  }

  /** Waits for the end of a run, cancels it where its step is given up or out of time. False where this run continues as new meanwhile. */
  async function ended({ step, attach }: ChildCommand, child: ChildState, given: CancellationScope): Promise<boolean> {
    const { plan } = world();
    const deadlineMs = deadlineOf(step);
    async function look(): Promise<void> {
      if (!(await deliver(child, (handle) => handle.signal(signal.look)))) gone(step, child);
    }
    given.cancelRequested.catch(async () => {
      // The server takes the request for a run that has ended too; a signal it does not.
      const known = await deliver(child, (handle) => handle.cancel());
      if (attach || !known) await look();
    });
    let due = deadlineMs > 0 ? child.since + deadlineMs : Infinity;
    const leaves = (): boolean => draining() && !given.consideredCancelled && !isLeftAt(state, plan, step);
    const over = (): boolean => !isOpen(child) || leaves();
    if (attach) void look();
    for (;;) {
      const left = Math.min(due - Date.now(), attach ? lookMs : Infinity);
      if (left === Infinity) await condition(over);
      else if (left > 0 && !(await condition(over, left)) && attach && Date.now() < due) await look();
      if (over()) return !isOpen(child);
      if (Date.now() < due) continue;
      due = Infinity;
      given.cancel();
    }
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
      if (!(await ended(command, child, given))) throw new CancelledFailure('the run continues as new');
      const deadlineMs = deadlineOf(step);
      const late = deadlineMs > 0 && Date.now() >= child.since + deadlineMs;
      return await wholeOutputs(resultOf(child.report!, given.consideredCancelled && !late, late), command.key, world());
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
    delivered: async (): Promise<void> => void (await Promise.all(sent)),
  };
}

const storeOf = (root: string, run: string): string => `${root.replace(/\/$/, '')}/${run}`;

/** The run that a step was in an earlier run, by the names that its steps had there; how many tries it had is known on the worker. */
function earlier({ run, store, renamed = {} }: FormerRun, step: string): FormerTry {
  const path = step.replaceAll(/(^|\.)(\w+)/g, (_, dot: string, id: string) => dot + (Object.hasOwn(renamed, id) ? renamed[id]! : id));
  const id = childRunId(run, path, 1);
  return { run: id, store: storeOf(store.slice(0, store.lastIndexOf('/')), id), of: { run, path } };
}

/** Steps whose files are known only when they run: what they gave may be of other bytes. */
const lateSteps = ({ paths }: SubPlan, { steps, sources }: Plan): string[] =>
  steps.flatMap(({ id, kind, with: input }) => {
    const given = (field: string): boolean => (input as { [field: string]: Json })[field] !== undefined;
    const known = (field: string): boolean => sources.some((source) => source.step === id && source.field === field);
    return kind !== 'pipeline' && (paths[id] ?? []).some((field) => given(field) && !known(field)) ? [id] : [];
  });

/** What a run gave. Fails as it did, with the class of its error, so that what the file does about a failure holds for it. */
function resultOf({ run, state, outputs = {}, error }: ChildReport, given: boolean, late: boolean): { [name: string]: Json } {
  if (state === 'done') return outputs;
  if (given) throw new CancelledFailure(`run ${run} was cancelled`);
  const { type, message, details, step } = late
    ? { type: 'TimedOut', message: 'it took longer than the step may', details: undefined, step: undefined }
    : (error ?? { type: 'Cancelled', message: 'somebody cancelled it', details: undefined, step: undefined });
  throw ApplicationFailure.create({
    nonRetryable: true,
    type,
    message: `run ${run}${step === undefined ? '' : `, step ${step}`}: ${message}`,
    ...(details && { details: [details] }),
  });
}

function planOf(sub: Parameters<typeof instantiate>[0], given: { [name: string]: Json }, folder: string, { pipelines }: Plan): Plan {
  try {
    if (isKept(given)) throw new WrongParam('the parameters of a pipeline have 4 KiB at most: write long texts into a file');
    return instantiate(sub, given, folder, pipelines);
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      error instanceof Error ? error.message : String(error),
      error instanceof Error ? error.name : 'Error',
    );
  }
}
