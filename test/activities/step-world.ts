import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../../activities/frame/create-activities.ts';
import { everyProtection } from '../../activities/frame/protection.ts';
import { createThreads } from '../../activities/own/thread/host/threads.ts';
import type { InspectInput } from '../../activities/sources/inspect.ts';
import { createImages } from '../../child/host/create-images.ts';
import { createTables } from '../../child/host/create-tables.ts';
import { configSchema } from '../../config/schema.ts';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { limits } from '../../contracts/limits.ts';
import type { Batches } from '../../contracts/maps/batches.ts';
import { landingOf } from '../../landing/of-config.ts';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import { activityType, evaluateActivity, inspectActivity, type ActivityInput, type PlanSource, type RunRef } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { finishedOf, type Counts, type SweepPrepared } from '../../pipelines/phases.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import type { ServiceOptions } from '../../service/app.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { createConnections } from '../../workers/open-connections.ts';
import { createOwnServices } from '../../workers/own-services.ts';
import { createWorld } from '../service/world.ts';
import { keyOf } from '../../workflows/interpreter/state.ts';
import { createControl } from '../support/control.ts';

type Phase = 'prepare' | 'main' | 'finish' | 'check' | 'settle';

export type StepOptions = {
  /** The step's id, which its files stand under. */
  id?: string;
  /** Its path by the items of its turns, of a step in a loop. */
  byItem?: string;
  tolerate?: ActivityInput['step']['tolerate'];
  sources?: ActivityInput['sources'];
  /** Somebody approved what the step does that cannot be taken back. */
  approved?: true;
  /** The number of the try, of a step that `onError` lets try again. */
  retry?: number;
};

/** The limits of the instance API are by the minute: a client that knows them would wait for them. */
const wideLimits = Object.fromEntries(
  Object.keys(limits).flatMap((name) => (name.startsWith('instance/') ? [[name, { count: 1_000_000, seconds: 1 }]] : [])),
);

/** What a step gave: its output, the counts of a sweep, and how many attempts its activities took in all. */
export type StepResult = { output: any; counts: Counts; attempts: number };

/**
 * The activities as a worker has them, over a local service and a run store: no Temporal server stands between, so that a
 * step takes milliseconds. Retries are made as the server makes them, by what the failure says.
 */
export async function createStepWorld(
  ownSteps: readonly string[] = [],
  tuning: {
    settleMs?: number;
    lagMs?: number;
    readings?: Partial<Readings>;
    batch?: Partial<Batches>;
    names?: Record<string, string>;
    organization?: string;
    /** Where the instance API is reached, by where it is. */
    through?: (url: string) => Promise<string>;
  } = {},
  confirm: ActivityDeps['confirm'] = async () => 'held',
  service: Partial<ServiceOptions> = {},
) {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-steps-'));
  const world = await createWorld(service);
  const { url } = await world.service.listen();
  const { through = async () => url, ...ofMaps } = tuning;
  const keyFile = join(dir, 'key');
  await writeFile(keyFile, world.service.adminKeys.maps, { mode: 0o600 });
  const instanceKeyFile = join(dir, 'instance-key');
  await writeFile(instanceKeyFile, world.service.adminKeys.instance, { mode: 0o600 });
  await mkdir(join(dir, '.portolan', 'runs'), { recursive: true });
  const config = {
    ...configSchema.parse({
      connections: {
        here: {
          maps: { url, secret: { file: keyFile }, settleMs: 0, ...ofMaps },
          instance: { url: await through(url), secret: { file: instanceKeyFile }, limits: wideLimits },
        },
      },
    }),
    root: dir,
    dir: join(dir, '.portolan'),
    store: join(dir, '.portolan', 'runs'),
  };
  taskQueueOf(config.store);
  const own = await loadOwnSteps(ownSteps);
  const steps = withOwn(own);
  const tables = createTables();
  const images = createImages();
  const threads = createThreads({ heapMb: 64 });
  const services = createOwnServices(config, own);
  const activities = createActivities({
    steps,
    connect: createConnections(config),
    own: services,
    tables,
    images,
    landing: landingOf(config, services.secret),
    threads,
    confirm,
    protect: everyProtection,
  });
  const control = createControl(() => url);

  /** A run with a folder of its own; its steps see what earlier runs of this world have remembered. */
  const newRun = () => {
    const runId = `run-${randomUUID()}`;
    mkdirSync(join(config.store, runId));
    const store = createRunStore(pathToFileURL(join(config.store, runId)).href);
    const run = { id: runId, pipeline: 'test', store: pathToFileURL(join(config.store, runId)).href, baseDir: dir, host: hostname() };
    let attempts = 0;

    /** One attempt of one activity; its run is cancelled when `cancelled` resolves. */
    const attempt = (
      use: string,
      phase: Phase,
      args: Omit<ActivityInput, 'run'>,
      number = 1,
      cancelled?: Promise<unknown>,
      more: Pick<RunRef, 'former'> = {},
    ): Promise<any> => {
      const activityId = keyOf(args.step.id, phase === 'main' && args.chunk !== undefined ? 'chunk' : phase, args.chunk);
      const environment = new MockActivityEnvironment(
        { attempt: number, activityId, startToCloseTimeoutMs: 600_000 },
        { logger: new DefaultLogger('ERROR') },
      );
      void cancelled?.then(() => environment.cancel());
      return environment.run(activities[activityType(use, phase)]!, { run: { ...run, ...more }, ...args });
    };

    /** Evaluates a tree over the results of steps. */
    const evaluate = (tree: Json, steps: { [id: string]: Json }): Promise<unknown> =>
      new MockActivityEnvironment({ activityId: 'evaluate', startToCloseTimeoutMs: 600_000 }, { logger: new DefaultLogger('ERROR') }).run(
        activities[evaluateActivity]!,
        { run, tree, scope: { params: {}, steps, run: { id: runId, pipeline: 'test' } } },
      );

    /** One activity until it ends. */
    const activity = async (use: string, phase: Phase, args: Omit<ActivityInput, 'run'>): Promise<any> => {
      for (let number = 1; ; number += 1) {
        attempts += 1;
        try {
          return await attempt(use, phase, args, number);
        } catch (error) {
          if (!(error instanceof ApplicationFailure) || error.nonRetryable || number === 50) throw error;
          await sleep(Number(error.nextRetryDelay ?? 0));
        }
      }
    };

    const argsOf = (
      use: string,
      input: unknown,
      { id = use.replace('.', '-'), byItem, tolerate, approved, retry = 0, sources = {} }: StepOptions = {},
    ) => {
      const connections = { maps: 'here', instance: 'here' };
      return {
        step: {
          id,
          use,
          connections,
          ...(byItem && { byItem }),
          ...(tolerate && { tolerate }),
          ...(approved && { approved }),
          ...(retry > 0 && { retry }),
        },
        input: input as Json,
        sources,
      };
    };

    /** A whole step, phase after phase. */
    const step = async (use: string, input: unknown, options: StepOptions = {}): Promise<StepResult> => {
      attempts = 0;
      const args = argsOf(use, input, options);
      const { kind } = steps[use]!;
      const counts: Counts = {};
      let output: unknown;
      if (kind === 'sweep') {
        const prepared = (await activity(use, 'prepare', args)) as SweepPrepared<Json>;
        Object.assign(counts, prepared.counts);
        for (let chunk = 0; chunk < prepared.chunks; chunk += 1)
          for (const [name, count] of Object.entries((await activity(use, 'main', { ...args, state: prepared.state, chunk })) as Counts))
            counts[name] = (counts[name] ?? 0) + count;
        output = finishedOf((await activity(use, 'finish', { ...args, state: prepared.state, counts })) as Json).output;
      } else if (kind === 'poll') {
        const started = await activity(use, 'main', args);
        const ended = started.done ? started : await activity(use, 'check', { ...args, token: started.token });
        output = ended.output;
      } else output = await activity(use, 'main', args);
      return { output, counts, attempts };
    };

    /** What is seen of sources before a run's first write. */
    const inspect = (sources: readonly PlanSource[]): Promise<ActivityInput['sources']> =>
      new MockActivityEnvironment({ activityId: 'inspect', startToCloseTimeoutMs: 600_000 }, { logger: new DefaultLogger('ERROR') }).run(
        activities[inspectActivity]! as (input: InspectInput) => Promise<ActivityInput['sources']>,
        { run, sources: [...sources] },
      );

    return { id: runId, store, step, attempt, argsOf, evaluate, inspect };
  };

  let files = 0;
  return {
    ...world,
    dir,
    threads,
    control,
    newRun,
    /** Writes rows as a JSON table and returns its path: another one each time, or that of a name. */
    async table(rows: readonly object[], name = `table-${(files += 1)}.json`): Promise<string> {
      const path = join(dir, name);
      await writeFile(path, JSON.stringify(rows));
      return path;
    },
    /** Operations that the service was asked for during an act. */
    async callsOf<T>(act: () => Promise<T>): Promise<{ value: T; calls: string[] }> {
      const before = (await control.requests()).rows.length;
      const value = await act();
      return { value, calls: (await control.requests()).rows.slice(before).map(({ operation }) => operation) };
    },
    async [Symbol.asyncDispose]() {
      try {
        await control.checkFired();
      } finally {
        threads.close();
        await tables.close();
        await images.close();
        await world[Symbol.asyncDispose]();
        await rm(dir, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

export type StepWorld = Awaited<ReturnType<typeof createStepWorld>>;
