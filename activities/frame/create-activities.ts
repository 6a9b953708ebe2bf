import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Throttled } from '../../client/errors.ts';
import { activityType, inspectActivity, type ActivityInput } from '../../pipelines/plan.ts';
import type { Activity, Counts, Kind, Progress, Step } from '../../pipelines/step.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunEvent, RunStore } from '../../store/run-store.ts';
import type { Tables } from '../../child/tables.ts';
import type { StepConnection, StepContext } from './context.ts';
import { notYet, toFailure, type FailureDetails } from './failure.ts';
import { codeOf } from './table.ts';
import { inspectSources, type InspectInput } from '../sources/inspect.ts';

/** A resolved connection: a client for one activity attempt, and what a step may know of it. */
export type OpenConnection = {
  connection: StepConnection;
  mapsUrl: (path: string) => string;
  calls: (callScope: string) => Pick<StepContext, 'invoke' | 'call' | 'maps'>;
  putPart: StepContext['putPart'];
};

export type ActivityDeps = {
  steps: Readonly<Record<string, Step>>;
  connect(name: string): Promise<OpenConnection>;
  tables: Tables;
  reconcile: boolean;
};

/** Results live in histories: beyond this they belong into the run store. */
const resultLimit = 64 * 1024;

/** Every activity, by type: derived from the step table. */
export function createActivities(deps: ActivityDeps): Record<string, (input: any) => Promise<unknown>> {
  const table: Record<string, (input: any) => Promise<unknown>> = {
    [inspectActivity]: (input: InspectInput) => guarded(() => inspectSources(input, deps.tables)),
  };
  for (const step of Object.values(deps.steps)) {
    const code = codeOf(step);
    if (!code) continue;
    const load = once(code);
    for (const [phase, run] of Object.entries(phases[step.kind])) {
      table[activityType(step.name, phase as Parameters<typeof activityType>[1])] = (input: ActivityInput) =>
        runPhase(deps, step, load, run, input);
    }
  }
  return table;
}

type Run = (code: any, input: any, args: ActivityInput, context: StepContext) => Promise<unknown>;

/** Which phases a kind has, and how each is called. */
const phases: Record<Kind, Record<string, Run>> = {
  call: { main: (code: Activity<any, any, 'call'>, input, _, context) => code.run(input, context) },
  sweep: {
    prepare: (code: Activity<any, any, 'sweep'>, input, _, context) => code.prepare(input, context),
    main: (code: Activity<any, any, 'sweep'>, input, args, context) => code.chunk(input, args.state, args.chunk!, context),
    finish: (code: Activity<any, any, 'sweep'>, input, args, context) => code.finish(input, args.state, args.counts!, context),
  },
  poll: {
    main: (code: Activity<any, any, 'poll'>, input, _, context) => code.start(input, context),
    check: async (code: Activity<any, any, 'poll'>, input, args, context) => {
      const polled = await code.check(input, args.token, context);
      if (polled.done) return polled;
      if (polled.progress) context.progress(polled.progress);
      throw notYet(polled.againMs, polled.progress?.note ?? 'not ready yet');
    },
  },
  gate: {},
};

async function runPhase(
  deps: ActivityDeps,
  step: Step,
  load: () => Promise<{ default: Activity<any, any, Kind> }>,
  run: Run,
  args: ActivityInput,
): Promise<unknown> {
  const info = activityInfo();
  const store = createRunStore(args.run.store);
  return guarded(
    async (report) => {
      const input = await step.input.parseAsync(args.input);
      const open = await deps.connect(args.step.connections['maps'] ?? '');
      const context: StepContext = {
        run: args.run,
        step: args.step.id,
        tolerate: args.step.tolerate ?? {},
        attempt: info.attempt,
        reconcile: deps.reconcile,
        sources: args.sources,
        ...open.calls(`${info.workflowExecution?.runId}/${info.activityId}`),
        putPart: open.putPart,
        connection: open.connection,
        mapsUrl: open.mapsUrl,
        store,
        tables: deps.tables,
        progress: report,
        signal: cancellationSignal(),
      };
      if ((args.step.version ?? 1) !== (step.version ?? 1)) await store.event(otherCode(args, step)).catch(() => undefined);
      const begun = Date.now();
      const result = await run((await load()).default, input, args, context);
      if (JSON.stringify(result ?? null).length > resultLimit) {
        throw ApplicationFailure.nonRetryable(`${step.name} answered more than 64 KiB: ask for fewer results or fields`, 'ResultTooLarge');
      }
      // What the report draws; the acknowledgement is the return, so a line that could not be written costs nothing.
      if (args.chunk !== undefined)
        await store.event(chunkEvent(args, result as Counts, Date.now() - begun, info.attempt)).catch(() => undefined);
      return result;
    },
    { soonestMs: args.chunk === undefined ? 0 : chunkBeatMs, onError: (error, failure) => tellFailure(store, args, error, failure) },
  );
}

/** Why an attempt ended, for the report: a wait that the service asked for, or a failure. */
async function tellFailure(store: RunStore, args: ActivityInput, error: unknown, failure: ApplicationFailure): Promise<void> {
  if (error instanceof Throttled) {
    await store.event({
      step: args.step.id,
      kind: 'wait',
      cause: error.message,
      ms: Math.round(error.waitMs),
      operation: error.operation,
      limit: error.limit,
      ...(error.sent ? { request_id: error.requestId } : {}),
    });
  } else if (failure.type === 'Unavailable') {
    const { resource = '' } = (failure.details?.[0] ?? {}) as FailureDetails;
    await store.event({
      step: args.step.id,
      kind: 'wait',
      cause: failure.message,
      ms: Number(failure.nextRetryDelay ?? 0),
      limit: `worker/${resource}`,
    });
  } else if (failure.type !== 'NotYet') {
    const { requestId, operation } = (failure.details?.[0] ?? {}) as FailureDetails;
    await store.event({
      step: args.step.id,
      kind: failure.nonRetryable ? 'failure' : 'retry',
      cause: `${failure.type}: ${failure.message}`,
      ...(operation ? { operation } : {}),
      ...(requestId ? { request_id: requestId } : {}),
    });
  }
}

const chunkEvent = ({ step, chunk }: ActivityInput, counts: Counts, ms: number, attempt: number): Omit<RunEvent, 'at'> => ({
  step: step.id,
  kind: 'chunk',
  cause: `attempt ${attempt}`,
  chunk: chunk!,
  items: counts['done'] ?? 0,
  ...(counts['bytes'] === undefined ? {} : { bytes: counts['bytes'] }),
  ms,
  attempt,
});

/** `rerun` does not reuse what other code has done than the plan names. */
const otherCode = ({ step: { id, use, version } }: ActivityInput, step: Step): Omit<RunEvent, 'at'> => ({
  step: id,
  kind: 'code',
  cause: `the worker's ${use} is version ${String(step.version ?? 1)}, the plan names ${String(version ?? 1)}`,
});

/** A heartbeat is a write at the server, as dear as the activity: a chunk that is over sooner needs none. What a poll has seen is told by nothing else. */
const chunkBeatMs = 500;

/** Heartbeats while the work runs, with the progress last reported; errors leave as Temporal failures. */
async function guarded(
  work: (report: (progress: Progress) => void) => Promise<unknown>,
  { soonestMs = 0, onError }: { soonestMs?: number; onError?: (error: unknown, failure: ApplicationFailure) => Promise<void> } = {},
): Promise<unknown> {
  let progress: Progress | undefined = activityInfo().heartbeatDetails as Progress | undefined;
  let last = performance.now();
  const tell = (): void => {
    last = performance.now();
    heartbeat(progress);
  };
  const beat = setInterval(tell, 1_000);
  try {
    return await work((latest) => {
      progress = latest;
      if (performance.now() - last >= soonestMs) tell();
    });
  } catch (error) {
    if (cancellationSignal().aborted) throw error instanceof CancelledFailure ? error : new CancelledFailure('cancelled');
    const failure = toFailure(error);
    await onError?.(error, failure).catch(() => undefined);
    throw failure;
  } finally {
    clearInterval(beat);
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
