import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { activityInfo } from '@temporalio/activity';
import { createClients } from '../../client/create-client.ts';
import { createCalls } from '../../client/invoke.ts';
import { createPutPart } from '../../client/put-part.ts';
import { revealing } from '../../client/secret-sink.ts';
import type { Transport } from '../../client/send.ts';
import type { Service } from '../../contracts/index.ts';
import { NeedsApproval } from '../../errors/classes.ts';
import type { OwnServices } from '../../client/own-fetch.ts';
import {
  activityType,
  beginActivity,
  evaluateActivity,
  inspectActivity,
  loopActivities,
  type ActivityInput,
  type ItemsInput,
  type ItemsPage,
  type RunRef,
} from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import type { RunStore } from '../../store/run-store.ts';
import { collect } from '../loop/collect.ts';
import { gather } from '../loop/gather.ts';
import { itemsFrom } from '../loop/items.ts';
import type { Kind, Step } from '../../pipelines/step.ts';
import type { Activity } from './activity.ts';
import type { Counts } from '../../pipelines/phases.ts';
import { fenced, presentStore } from './present-store.ts';
import { createMarks } from '../../store/marks.ts';
import { openIntents, type Intents } from '../../store/intents.ts';
import { hadNoEffect } from '../effects/send-once.ts';
import type { Tables } from '../../child/tables.ts';
import type { Threads } from '../own/thread/host/threads.ts';
import type { StepContext } from './context.ts';
import { begin } from './begin.ts';
import { openChunkLedger, type ChunkLedger } from './chunk-ledger.ts';
import { evaluate } from './evaluate.ts';
import { keepResult, withKeptValues } from './kept-phase.ts';
import { notYet } from './failure.ts';
import { attemptOf, guarded, type Guards } from './guarded.ts';
import { opener, type Connect } from './open-service.ts';
import { chunkEvent, failureEvent, otherCode } from './attempt-events.ts';
import { createCallTally } from './call-tally.ts';
import { codeOf } from './table.ts';
import type { Landing } from '../../landing/landing.ts';
import { landedTables } from '../../landing/landed-tables.ts';
import { inspectSources, type InspectInput } from '../sources/inspect.ts';
import { landFor } from '../sources/land.ts';

export type ActivityDeps = Guards & {
  steps: Readonly<Record<string, Step>>;
  connect: Connect;
  own: OwnServices;
  tables: Tables;
  /** Fetches what is elsewhere. */
  landing: Landing;
  /** Where the code of own steps runs. */
  threads: Threads;
};

/** Every activity, by type: derived from the step table. */
export function createActivities(deps: ActivityDeps): Record<string, (input: any) => Promise<unknown>> {
  const table: Record<string, (input: any) => Promise<unknown>> = {
    [beginActivity]: begin,
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
    [loopActivities.items]: inStore(deps, (input: ItemsInput) => itemsFrom(input)),
    [loopActivities.collect]: inStore(deps, collect),
    [loopActivities.gather]: inStore(deps, gather),
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
    prepare: (code: Activity<any, any, 'sweep'>, input, _, context) => code.prepare(input, context),
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
  const { retry } = given.step;
  const attemptId = `${info.workflowExecution?.runId.slice(0, 8)}-${retry === undefined ? '' : `r${retry}-`}${info.attempt}`;
  const place = placeOf(info.activityId);
  const callScope = `${info.workflowExecution?.runId}/${info.activityId}`;
  let intents: Intents | undefined;
  const ledger = given.chunk === undefined ? undefined : openChunkLedger(store, given.step.id, given.chunk, attempt);
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
      // A user's schema is a user's code: it runs where the rest of it does.
      const input = step.own ? args.input : await step.input.parseAsync(args.input);
      const open = opener(deps.connect, args.step);
      const hidden = deps.protect.secrets ? {} : { secrets: revealing };
      const tally = createCallTally((calls) => store.event({ step: args.step.id, kind: 'calls', cause: 'sent', calls }));
      const onSent = tally.sent;
      const transportOf = (service: Service): Transport => ({ ...open(service).transport, ...hidden, callScope, fence, onSent });
      const context: StepContext = {
        run: args.run,
        step: args.step.id,
        requireApproval: (act) => {
          if (!args.step.approved)
            throw new NeedsApproval(`${act} cannot be taken back, and nobody has approved it: nothing of it was done`);
        },
        tolerate: args.step.tolerate ?? {},
        attempt,
        attemptId,
        place,
        intents: () => (store.check(), (intents ??= openIntents(store, place, attemptId))),
        lookUp: deps.protect.lookUp,
        fence,
        effectsSent,
        sources: args.sources,
        callScope,
        own: deps.own,
        ...createCalls(transportOf),
        ...createClients(transportOf),
        putPart: (part, options) => {
          const { permits, baseUrl } = open('maps').transport;
          return createPutPart(permits, { fence, serviceUrl: baseUrl, onSent })(part, options);
        },
        connection: (service) => open(service).connection,
        mapsUrl: (path) => open('maps').connection.url + path,
        store: fenced(store, held),
        marks: createMarks(dirname(store.path()), { compare: deps.protect.marks }),
        fates: (groups, when) => ledger?.add(groups, when),
        sending: async (items, send) => {
          const before = effectsSent();
          try {
            return await send();
          } catch (error) {
            if (effectsSent() > before && !hadNoEffect(error))
              ledger?.unknown(typeof items === 'function' ? items() : items, `no answer was seen: ${(error as Error).message}`);
            throw error;
          }
        },
        tables: landedTables(deps.tables, landFor({ landing: deps.landing, store, report, signal }, args.sources)().land),
        threads: deps.threads,
        progress: report,
        signal,
      };
      if ((args.step.version ?? 1) !== (step.version ?? 1)) await store.event(otherCode(args, step)).catch(() => undefined);
      const begun = Date.now();
      const { default: code } = await load();
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
      return keepResult(store, step.kind, phase, result);
    },
    {
      soonestMs: given.chunk === undefined ? 0 : chunkBeatMs,
      explain: (error) => store.lost() ?? error,
      ...(ledger ? { onCancelled: ledger.writeOver } : {}),
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
function settled(ledger: ChunkLedger, items: readonly string[]): Promise<Counts> {
  if (ledger.wasSent() && items.length > 0) ledger.unknown(items, 'was under way when the run ended, and no answer was seen');
  return ledger.writePart();
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
