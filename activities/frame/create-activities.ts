import { rm } from 'node:fs/promises';
import { activityInfo } from '@temporalio/activity';
import {
  activityType,
  beginActivity,
  takeUpActivity,
  type TakeUpInput,
  evaluateActivity,
  keepActivity,
  inspectActivity,
  loopActivities,
  type ActivityInput,
  type ItemsInput,
  type ItemsPage,
  type KeepInput,
  type RunRef,
} from '../../pipelines/plan.ts';
import { withResolved } from '../../pipelines/compile/plan-sources.ts';
import type { Json } from '../../text/json.ts';
import type { RunStore } from '../../store/run-store.ts';
import { collect } from '../loop/collect.ts';
import { gather } from '../loop/gather.ts';
import { itemsFrom } from '../loop/items.ts';
import { rowsLoop } from '../../pipelines/steps/rows-loop.ts';
import type { Kind, Step } from '../../pipelines/step.ts';
import type { Activity } from './activity.ts';
import { partCount, type Counts, type Finished } from '../../pipelines/phases.ts';
import { presentStore } from './present-store.ts';
import { createStepContext, type ContextDeps } from './step-context.ts';
import { openIntents, type Intents } from '../../store/intents.ts';
import { keptAs } from '../../store/kept-values.ts';
import type { StepContext } from './context.ts';
import { fittingInput } from './fitting-input.ts';
import { begin, type BeginInput } from './begin.ts';
import { takeUp } from './take-up.ts';
import { openChunkLedger, type ChunkLedger } from './chunk-ledger.ts';
import { evaluate } from './evaluate.ts';
import { keepResult, withKeptValues } from './kept-phase.ts';
import { notYet } from './failure.ts';
import { attemptOf, guarded, type Guards } from './guarded.ts';
import { chunkEvent, failureEvent, otherCode } from './attempt-events.ts';
import { createCallTally } from './call-tally.ts';
import { codeOf } from './table.ts';
import { holderActivities } from '../lock/holder.ts';
import { inspectSources, type InspectInput } from '../sources/inspect.ts';
import { landFor } from '../sources/land.ts';

export type ActivityDeps = Guards & ContextDeps & { steps: Readonly<Record<string, Step>> };

/** Every activity, by type: derived from the step table. */
export function createActivities(deps: ActivityDeps): Record<string, (input: any) => Promise<unknown>> {
  const table: Record<string, (input: any) => Promise<unknown>> = {
    [beginActivity]: (input: BeginInput) => begin(input, deps.protect),
    ...holderActivities,
    [takeUpActivity]: (input: TakeUpInput) => takeUp(input),
    [inspectActivity]: (input: InspectInput) => {
      const store = presentStore(input.run.store);
      const { tables, landing } = deps;
      return guarded(
        deps,
        ({ report, signal }) => inspectSources(input, { tables, land: landFor({ landing, store, report, signal }) }, signal),
        { explain: (error) => store.lost() ?? error },
      );
    },
    [evaluateActivity]: inStore(deps, evaluate),
    [keepActivity]: inStore(deps, ({ values }: KeepInput, store) => Promise.all(values.map((value) => keptAs(store, value)))),
    [loopActivities.items]: inStore(deps, (input: ItemsInput) => itemsFrom(input)),
    [loopActivities.collect]: inStore(deps, collect),
    [loopActivities.gather]: inStore(deps, gather),
  };
  for (const step of [...Object.values(deps.steps), rowsLoop]) {
    const code = codeOf(step, deps.steps);
    if (!code) continue;
    const load = once(code);
    for (const [phase, run] of Object.entries(phases[step.kind])) {
      table[activityType(step.name, phase as Parameters<typeof activityType>[1])] = (input: ActivityInput) =>
        runPhase(deps, step, load, { phase, run }, input);
    }
  }
  return table;
}

/** Work on the run store alone: where the store is away, it waits for it. */
const inStore =
  <I extends { run: RunRef }>(deps: ActivityDeps, work: (input: I, store: RunStore) => Promise<Json | ItemsPage>) =>
  (input: I): Promise<unknown> => {
    const store = presentStore(input.run.store);
    return guarded(deps, async () => (store.check(), work(input, store)), { explain: (error) => store.lost() ?? error });
  };

type Run = (code: any, input: any, args: ActivityInput, context: StepContext) => Promise<unknown>;

/** Which phases a kind has, and how each is called. */
const phases: Record<Kind, Record<string, Run>> = {
  call: { main: (code: Activity<any, any, 'call'>, input, _, context) => code.run(input, context) },
  sweep: {
    prepare: (code: Activity<any, any, 'sweep'>, input, { body }, context) => code.prepare(input, context, body),
    main: (code: Activity<any, any, 'sweep'>, input, args, context) => code.chunk(input, args.state, args.chunk!, context),
    finish: (code: Activity<any, any, 'sweep'>, input, args, context) => code.finish(input, args.state, args.counts!, context),
    settle: async (code: Activity<any, any, 'sweep'>, input, args, context) => code.sent?.(input, args.state, args.chunk!, context),
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

/** A heartbeat is a write at the server, as dear as an activity: a chunk that is over sooner needs none. What a poll has seen is reported by nothing else. */
const chunkBeatMs = 500;

async function runPhase(
  deps: ActivityDeps,
  step: Step,
  load: () => Promise<{ default: Activity<any, any, Kind> }>,
  { phase, run }: { phase: string; run: Run },
  given: ActivityInput,
): Promise<unknown> {
  const info = activityInfo();
  const store = presentStore(given.run.store);
  const attempt = attemptOf(info);
  // Attempts are numbered anew in every execution of a run that continues as new, and in every try that the pipeline's file asks for.
  // The end of a run id is its own; it begins with a time.
  const { retry } = given.step;
  const attemptId = `${info.workflowExecution?.runId.slice(-8)}-${retry === undefined ? '' : `r${retry}-`}${info.attempt}`;
  const place = placeOf(info.activityId);
  const callScope = `${info.workflowExecution?.runId}/${info.activityId}`;
  let intents: Intents | undefined;
  const ledger = given.chunk === undefined ? undefined : openChunkLedger(store, given.step.id, given.chunk, attempt);
  /** What attempts before this one may have sent of its chunk. */
  let sentBefore = async (): Promise<readonly string[]> => [];
  return guarded(
    deps,
    async ({ report, signal, effectsSent, held, ...alive }) => {
      let noted: Promise<void> | undefined;
      const fence = async (): Promise<void> => {
        // Before anything leaves: after a kill nobody else knows of it.
        await (noted ??= ledger?.sends());
        await alive.fence();
      };
      store.check();
      const args = await withKeptValues(given);
      // A path that began with an expression is seen from the folder of the file, as every other is.
      const seen = step.paths ? withResolved(args.input, { paths: step.paths }, args.run.baseDir) : args.input;
      // A user's schema is a user's code: it runs where the rest of it does.
      const input = step.own ? seen : await fittingInput(step, seen);
      const tally = createCallTally((of, calls) => store.event({ step: of, kind: 'calls', cause: 'sent', calls }));
      const beside: Counts = {};
      const counted = (more: Counts): void => void Object.assign(beside, more);
      const context = createStepContext(
        { deps, args, store, attempt, attemptId, ledger, counted, onSent: tally.sent, report, signal, fence, held, effectsSent },
        { step: args.step, place, callScope, intents: () => (store.check(), (intents ??= openIntents(store, place, attemptId))) },
      );
      if ((args.step.version ?? 1) !== (step.version ?? 1)) await store.event(otherCode(args, step)).catch(() => undefined);
      const begun = Date.now();
      const { default: code } = await load();
      // One that goes on later has a journal of its items.
      if (!step.goesOn && ledger?.wasSent() && 'sent' in code)
        sentBefore = async () => (await code.sent?.(input, args.state, args.chunk!, context)) ?? [];
      const result = await run(code, input, args, context)
        .catch(async (error: unknown) => {
          // Of an attempt that is given away the next one writes; of a cancelled run what it returns says it.
          if (ledger && !signal.aborted)
            await held()
              .then(ledger.writePart)
              .catch(() => undefined);
          throw error;
        })
        .finally(async () => {
          await intents?.close();
          await tally.end();
        });
      if (phase === 'settle') return settled(ledger!, (result ?? []) as readonly string[]);
      if (ledger) {
        await held();
        await ledger.write();
        // What the report draws; the acknowledgement is the return, so a line that could not be written costs nothing.
        await store.event(chunkEvent(args, result as Counts, Date.now() - begun, attempt)).catch(() => undefined);
      }
      if (phase === 'finish') await rm(store.path('sent', args.step.id), { recursive: true, force: true });
      const kept = await keepResult(store, step.kind, phase, result);
      return phase === 'finish' && Object.keys(beside).length > 0 ? ({ $output: kept as Json, counts: beside } satisfies Finished) : kept;
    },
    {
      soonestMs: given.chunk === undefined ? 0 : chunkBeatMs,
      explain: (error) => store.lost() ?? error,
      ...(ledger
        ? { onCancelled: async () => ({ ...(await ledger.writeOver(await sentBefore())), ...(step.goesOn ? { [partCount]: 1 } : {}) }) }
        : {}),
      onError: async (error, failure) => {
        const event = failureEvent(given, error, failure);
        if (event) await store.event(event);
      },
    },
  );
}

/** Where an activity keeps what its attempts know of each other: who asks what became of a chunk reads that of the chunk. */
const placeOf = (activityId: string): string[] => activityId.replace('/settle/', '/chunk/').split('/');

/** What is known of a chunk whose end nobody reported: nothing of it was sent, or its items are unknown but for those that earlier attempts knew. */
const settled = (ledger: ChunkLedger, items: readonly string[]): Promise<Counts> => ledger.writeOver(ledger.wasSent() ? items : []);

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
