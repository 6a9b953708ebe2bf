import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import { createClients } from '../../client/create-client.ts';
import { createCalls } from '../../client/invoke.ts';
import { createPutPart } from '../../client/put-part.ts';
import { revealing } from '../../client/secret-sink.ts';
import type { Transport } from '../../client/send.ts';
import { services, type Service } from '../../contracts/index.ts';
import { BadInput, NeedsApproval } from '../../errors/classes.ts';
import type { OwnServices } from '../../client/own-fetch.ts';
import { isWait } from '../../client/wait.ts';
import { activityType, evaluateActivity, inspectActivity, type ActivityInput, type EvaluateInput } from '../../pipelines/plan.ts';
import type { Kind, Step } from '../../pipelines/step.ts';
import type { Activity } from './activity.ts';
import type { Counts, Progress } from '../../pipelines/phases.ts';
import { fenced, presentStore } from './present-store.ts';
import { openIntents, type Intents } from '../../store/intents.ts';
import type { RunEvent, RunStore } from '../../store/run-store.ts';
import type { Tables } from '../../child/tables.ts';
import type { StepConnection, StepContext } from './context.ts';
import { evaluate } from './evaluate.ts';
import { keepResult, withKeptValues } from './kept-phase.ts';
import { notYet, toFailure, type FailureDetails } from './failure.ts';
import { createFence, type Standing } from './fence.ts';
import { codeOf } from './table.ts';
import { inspectSources, type InspectInput } from '../sources/inspect.ts';

/** A resolved service of a connection: how its calls are sent, and what a step may know of it. */
export type OpenService = { connection: StepConnection; transport: Transport };

export type ActivityDeps = {
  steps: Readonly<Record<string, Step>>;
  connect: (service: Service, name: string) => OpenService;
  own: OwnServices;
  tables: Tables;
  /** Asks the server about an attempt by its token, with its last progress. */
  confirm: (taskToken: Uint8Array, progress: unknown) => Promise<Standing>;
  protect: Protection;
};

/** What a worker does for safety's sake; switched off only in proofs that show what happens without. */
export type Protection = {
  /** Looks effects up whose answer was lost. */
  lookUp: boolean;
  /** Asks the server before an effect whether the attempt still counts. */
  fence: boolean;
  /** Keeps secrets of answers out of results. */
  secrets: boolean;
  /** Waits for what this host is short of. */
  waits: boolean;
};

export const everyProtection: Protection = { lookUp: true, fence: true, secrets: true, waits: true };

/** Every activity, by type: derived from the step table. */
export function createActivities(deps: ActivityDeps): Record<string, (input: any) => Promise<unknown>> {
  const table: Record<string, (input: any) => Promise<unknown>> = {
    [inspectActivity]: (input: InspectInput) => guarded(deps, () => inspectSources(input, deps.tables)),
    [evaluateActivity]: (input: EvaluateInput) => guarded(deps, () => evaluate(input)),
  };
  for (const step of Object.values(deps.steps)) {
    const code = codeOf(step);
    if (!code) continue;
    const load = once(code);
    for (const [phase, run] of Object.entries(phases[step.kind])) {
      table[activityType(step.name, phase as Parameters<typeof activityType>[1])] = (input: ActivityInput) =>
        runPhase(deps, step, load, { phase, run }, input);
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
  { phase, run }: { phase: string; run: Run },
  given: ActivityInput,
): Promise<unknown> {
  const info = activityInfo();
  const store = presentStore(given.run.store);
  // Attempts are numbered anew in every execution of a run that continues as new.
  const attemptId = `${info.workflowExecution?.runId.slice(0, 8)}-${info.attempt}`;
  const callScope = `${info.workflowExecution?.runId}/${info.activityId}`;
  let intents: Intents | undefined;
  return guarded(
    deps,
    async ({ report, signal, ...alive }) => {
      let passed = 0;
      const fence = async (): Promise<void> => {
        await alive.fence();
        passed++;
      };
      store.check();
      const args = await withKeptValues(given);
      const input = await step.input.parseAsync(args.input);
      const open = opener(deps, args.step);
      const hidden = deps.protect.secrets ? {} : { secrets: revealing };
      const transportOf = (service: Service): Transport => ({ ...open(service).transport, ...hidden, callScope, fence });
      const context: StepContext = {
        run: args.run,
        step: args.step.id,
        requireApproval: (act) => {
          if (!args.step.approved)
            throw new NeedsApproval(`${act} cannot be taken back, and nobody has approved it: nothing of it was done`);
        },
        tolerate: args.step.tolerate ?? {},
        attempt: info.attempt,
        attemptId,
        intents: () => (store.check(), (intents ??= openIntents(store, info.activityId.split('/'), attemptId))),
        lookUp: deps.protect.lookUp,
        fence,
        effectsSent: () => passed,
        sources: args.sources,
        callScope,
        own: deps.own,
        ...createCalls(transportOf),
        ...createClients(transportOf),
        putPart: (part, options) => createPutPart(open('maps').transport.permits, fence)(part, options),
        connection: (service) => open(service).connection,
        mapsUrl: (path) => open('maps').connection.url + path,
        store: fenced(store, alive.fence),
        tables: deps.tables,
        progress: report,
        signal,
      };
      if ((args.step.version ?? 1) !== (step.version ?? 1)) await store.event(otherCode(args, step)).catch(() => undefined);
      const begun = Date.now();
      const result = await run((await load()).default, input, args, context).finally(() => intents?.close());
      // What the report draws; the acknowledgement is the return, so a line that could not be written costs nothing.
      if (args.chunk !== undefined)
        await store.event(chunkEvent(args, result as Counts, Date.now() - begun, info.attempt)).catch(() => undefined);
      return keepResult(store, step.kind, phase, result);
    },
    {
      soonestMs: given.chunk === undefined ? 0 : chunkBeatMs,
      explain: (error) => store.lost() ?? error,
      onError: (error, failure) => tellFailure(store, given, error, failure),
    },
  );
}

/** Opens a service when it is first asked for, once for an attempt. */
function opener({ connect }: ActivityDeps, { use, connections }: ActivityInput['step']): (service: Service) => OpenService {
  const opened = new Map<Service, OpenService>();
  return (service) => {
    const found = opened.get(service);
    if (found) return found;
    const name = connections[service];
    if (name === undefined)
      throw new BadInput(
        'bad_input',
        `${use} calls the ${services[service].title}, but none of its \`operations\` is of it: list them in the step`,
      );
    const open = connect(service, name);
    opened.set(service, open);
    return open;
  };
}

/** Why an attempt ended, for the report: a wait that the service asked for, or a failure. */
async function tellFailure(store: RunStore, args: ActivityInput, error: unknown, failure: ApplicationFailure): Promise<void> {
  if (isWait(error)) {
    const { message, waitMs, operation, limit, requestId } = error;
    await store.event({
      step: args.step.id,
      kind: 'wait',
      cause: message,
      ms: Math.round(waitMs),
      ...(operation && { operation }),
      ...(limit && { limit }),
      ...(error.sent && requestId ? { request_id: requestId } : {}),
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

/** What the work of an attempt is given to live with the server. */
type Alive = { report: (progress: Progress) => void; fence: () => Promise<void>; signal: AbortSignal };

/** Heartbeats while the work runs, with the progress last reported; errors leave as Temporal failures. */
async function guarded(
  { confirm, protect }: Pick<ActivityDeps, 'confirm' | 'protect'>,
  work: (alive: Alive) => Promise<unknown>,
  {
    soonestMs = 0,
    explain = (error) => error,
    onError,
  }: {
    soonestMs?: number;
    /** The cause behind an error, where the frame knows more of it than the work. */
    explain?: (error: unknown) => unknown;
    onError?: (error: unknown, failure: ApplicationFailure) => Promise<void>;
  } = {},
): Promise<unknown> {
  const info = activityInfo();
  let progress = info.heartbeatDetails as Progress | undefined;
  let last = performance.now();
  const tell = (): void => {
    last = performance.now();
    heartbeat(progress);
  };
  const beat = setInterval(tell, 1_000);
  const given = new AbortController();
  // The library's word that an attempt is over comes too late, or never on a cut connection: without the fence nothing stops it.
  const signal = protect.fence ? AbortSignal.any([cancellationSignal(), given.signal]) : given.signal;
  const report = (latest: Progress): void => {
    progress = latest;
    if (performance.now() - last >= soonestMs) tell();
  };
  const fence = protect.fence
    ? createFence({
        confirm: () => confirm(info.taskToken, progress),
        over: (reason) => given.abort(reason),
        attemptMs: info.startToCloseTimeoutMs,
        signal,
      })
    : async () => undefined;
  try {
    return await work({ report, fence, signal });
  } catch (error) {
    if (cancellationSignal().aborted) throw error instanceof CancelledFailure ? error : new CancelledFailure('cancelled');
    // What the work made of it counts less than why it was stopped.
    const cause = given.signal.aborted ? given.signal.reason : explain(error);
    const failure = toFailure(cause, { waits: protect.waits, attempt: info.attempt });
    await onError?.(cause, failure).catch(() => undefined);
    throw failure;
  } finally {
    clearInterval(beat);
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
