import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../../activities/frame/create-activities.ts';
import { everyProtection } from '../../activities/frame/protection.ts';
import { createThreads } from '../../activities/own/thread/host/threads.ts';
import { createImages } from '../../child/host/create-images.ts';
import { createTables } from '../../child/host/create-tables.ts';
import { serviceNames } from '../../contracts/index.ts';
import type { FailureDetails } from '../../errors/failure-details.ts';
import type { Counts, Polled, Started, SweepPrepared } from '../../pipelines/phases.ts';
import { activityType } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { keptValue } from '../../store/kept-values.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { readResults, resultsOf, resultSteps } from '../../store/results.ts';
import type { ItemRecord } from '../../store/run-store.ts';
import type { Json } from '../../text/json.ts';

/** Where a step's requests go, and what it may use beside: what a worker gives it, or what stands for that. */
export type Surroundings = Pick<ActivityDeps, 'connect' | 'own'> & {
  /** Name of the connection. */
  connection: string;
  /** Waits are named and not waited for, pauses of a poll short. */
  hurry: boolean;
};

/** What became of a step that was tried. */
export type Tried = {
  /** `unknown`: its effect is `never`, and nobody knows whether it happened. */
  fate: 'done' | 'failed' | 'unknown';
  output?: Json;
  error?: { type: string; message: string } & Pick<FailureDetails, 'at' | 'remedy'>;
  /** Attempts that failed in passing, waits, and looks that found nothing done. */
  again: { why: string; seconds: number }[];
  /** Of a sweep: how many it lists, and the fates of those that were tried. */
  listed?: number;
  items?: ItemRecord[];
  results?: Record<string, unknown>[];
};

type Phase = Parameters<typeof activityType>[1];

/** Failures in passing of one phase before that is its end. */
const mostFailures = 5;

/** Longest pause between two looks where nothing is waited for: a job may go by the clock. */
const hurriedMs = 500;

/** Looks of a poll and waits together. */
const mostAgain = 200;

/**
 * Runs one step by its own activities, without Temporal and in a run store that is gone afterwards. Of a sweep the first chunk alone,
 * which is finished where it is the whole. Fails only where the step cannot be tried.
 */
export async function tryStep(
  step: Step,
  input: Json,
  { connect, own, connection, hurry }: Surroundings,
  signal: AbortSignal,
): Promise<Tried> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-step-'));
  const id = step.name.replace('.', '-');
  const uri = pathToFileURL(join(dir, id)).href;
  await mkdir(join(dir, id));
  // Gives the folder the mark of a run store.
  taskQueueOf(dir);
  const store = createRunStore(uri);
  const run = { id: `test-${randomUUID().slice(0, 8)}`, pipeline: 'test', store: uri, baseDir: dir, host: hostname() };
  const tables = createTables();
  const images = createImages();
  const threads = createThreads();
  const activities = createActivities({
    steps: { [step.name]: step },
    connect,
    own,
    tables,
    images,
    // Steps of a user's own read no table.
    landing: () => Promise.reject(new Error('an own step has no source')),
    threads,
    confirm: async () => 'held',
    protect: everyProtection,
  });
  const again: Tried['again'] = [];
  const connections = Object.fromEntries(serviceNames.map((service) => [service, connection]));
  const args = {
    run,
    step: { id, use: step.name, ...(step.version === undefined ? {} : { version: step.version }), connections },
    input,
    sources: {},
  };

  const attempt = async (phase: Phase, more: object, number: number): Promise<unknown> => {
    const env = new MockActivityEnvironment(
      { attempt: number, activityId: `${id}/${phase}`, startToCloseTimeoutMs: step.timeouts.attemptMs },
      { logger: new DefaultLogger('ERROR') },
    );
    const cancel = (): void => env.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await env.run(activities[activityType(step.name, phase)]!, { ...args, ...more });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
  /** A phase until it ends, begun again as the engine would. */
  const ended = async (phase: Phase, more: object = {}): Promise<any> => {
    for (let number = 1, failures = 0; ; number++) {
      try {
        signal.throwIfAborted();
        return await attempt(phase, more, number);
      } catch (error) {
        if (!(error instanceof ApplicationFailure) || error.nonRetryable) throw error;
        const waits = error.type === 'NotYet' || error.type === 'RateLimited';
        // What is missing on this host is for whoever tries the step.
        if (error.type === 'Unavailable' || (!waits && ++failures === mostFailures) || again.length === mostAgain) throw error;
        const ms = Number(error.nextRetryDelay ?? 250 * 2 ** failures);
        again.push({ why: error.type === 'NotYet' ? `not yet: ${error.message}` : error.message, seconds: ms / 1_000 });
        await sleep(hurry ? Math.min(ms, error.type === 'NotYet' ? hurriedMs : 0) : ms, undefined, { signal });
      }
    }
  };
  const kinds: Record<'call' | 'poll' | 'sweep', () => Promise<Partial<Tried>>> = {
    call: async () => ({ output: await keptValue(await ended('main')) }),
    async poll() {
      const started = (await ended('main')) as Started<Json>;
      const over = started.done ? started : ((await ended('check', { token: started.token })) as Polled<Json> & { done: true });
      return { output: await keptValue(over.output) };
    },
    async sweep() {
      const { chunks, items: listed, state } = (await ended('prepare')) as SweepPrepared<Json>;
      try {
        const counts: Counts = chunks === 0 ? {} : ((await ended('main', { state, chunk: 0 })) as Counts);
        const { results: _gone, ...output } = (chunks <= 1 ? await keptValue(await ended('finish', { state, counts })) : counts) as {
          [name: string]: Json;
        };
        return { listed, ...(await ledger()), output };
      } catch (error) {
        return { listed, ...(await ledger()), ...failed(error) };
      }
    },
  };
  const ledger = async (): Promise<Pick<Tried, 'items' | 'results'>> => {
    const items = await store.readItems({ step: id });
    if (!(await resultSteps(store)).includes(id)) return { items };
    const results: Record<string, unknown>[] = [];
    for await (const row of readResults(store, resultsOf(store, id))) results.push(row);
    return { items, results };
  };
  try {
    const kind = step.kind === 'gate' ? 'call' : step.kind;
    const made = await kinds[kind]().catch((error: unknown): Partial<Tried> => failed(error));
    const lost = (made.items ?? []).some(({ status }) => status === 'failed' || status === 'unknown');
    return { again, ...made, fate: made.fate ?? (lost ? 'failed' : 'done') };
  } finally {
    threads.close();
    await tables.close();
    await images.close();
    await rm(dir, { recursive: true, force: true });
  }
}

function failed(error: unknown): Pick<Tried, 'fate' | 'error'> {
  if (!(error instanceof ApplicationFailure)) {
    if (error instanceof CancelledFailure) throw new DOMException('interrupted', 'AbortError');
    throw error;
  }
  const { at, remedy } = (error.details?.[0] ?? {}) as FailureDetails;
  return {
    fate: error.type === 'Undecided' ? 'unknown' : 'failed',
    error: { type: error.type ?? 'Error', message: error.message, ...(at ? { at } : {}), ...(remedy ? { remedy } : {}) },
  };
}
