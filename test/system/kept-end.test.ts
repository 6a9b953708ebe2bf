import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { celVersion } from '../../pipelines/expressions/environment.ts';
import { watchId } from '../../pipelines/notify.ts';
import { beginActivity, type Plan } from '../../pipelines/plan.ts';
import type { RunInput } from '../../pipelines/run-start.ts';
import type { KeptView } from '../../store/kept-view.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { keptViews } from '../../workers/kept-views.ts';
import { connectBare } from './support-bare.ts';

let bare: Awaited<ReturnType<typeof connectBare>>;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  bare = await connectBare(new URL('./kept-end.workflow.ts', import.meta.url));
});
afterAll(() => bare.close());

/** A run without steps, of a plan of this version, that is a step of another. */
const input = (run: string, version: number): RunInput => ({
  plan: {
    version: version as Plan['version'],
    pipeline: 'none',
    hash: '',
    cel: celVersion,
    params: {},
    steps: [],
    outputs: {},
    sources: [],
    concurrency: null,
  },
  start: {
    id: `${run}.one`,
    store: 'file:///nowhere/',
    baseDir: '/',
    host: 'here',
    who: 'a@here',
    connections: {},
    origin: { run, step: 'one' },
  },
});

test.each([
  ['done', 1],
  ['failed', 0],
])('the run above hears that one is %s when its folder says so', async (state, version) => {
  const { connection, client, bundle } = bare;
  const taskQueue = `kept-end-${process.pid}-${version}`;
  const reached = Promise.withResolvers<KeptView>();
  const written = Promise.withResolvers<void>();
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: bundle,
    activities: { [beginActivity]: () => 'held' },
    sinks: {
      view: {
        keep: {
          fn: (_: unknown, _store: string, kept: KeptView) => {
            reached.resolve(kept);
            return written.promise;
          },
        },
      },
    },
  });
  await worker.runUntil(async () => {
    const run = await client.workflow.start('above', { taskQueue, workflowId: taskQueue, args: [input(taskQueue, version)] });
    expect((await reached.promise).view).toMatchObject({ state });
    expect(await run.query('heard')).toBe(false);
    written.resolve();
    expect(await run.result()).toBe(state);
  });
});

test.each([
  ['done', 1],
  ['failed', 0],
])(
  'the watch of runs hears that one is %s when its folder says so, with the time and the length of its history',
  async (state, version) => {
    const { connection, client, bundle } = bare;
    const taskQueue = `kept-watch-${process.pid}-${version}`;
    const reached = Promise.withResolvers<KeptView>();
    const written = Promise.withResolvers<void>();
    const keep = { fn: (_: unknown, _store: string, kept: KeptView) => (reached.resolve(kept), written.promise) };
    const activities = { [beginActivity]: () => 'held' };
    const worker = await Worker.create({ connection, taskQueue, workflowBundle: bundle, activities, sinks: { view: { keep } } });
    await worker.runUntil(async () => {
      const { plan, start } = input(taskQueue, version);
      const { origin: _origin, ...alone } = start;
      const watch = await client.workflow.start('watching', {
        taskQueue,
        workflowId: watchId(taskQueue, { pipeline: 'none', connections: {} }),
      });
      const run = await client.workflow.start('runPipelineV1', {
        taskQueue,
        workflowId: alone.id!,
        args: [{ plan: { ...plan, notify: { on: ['late'], to: [] } as unknown as NonNullable<Plan['notify']> }, start: alone }],
      });
      const kept = await reached.promise;
      try {
        const { startTime, runId } = await run.describe();
        expect(kept).toMatchObject({ view: { state }, runId });
        expect(kept.historyEvents).toBeGreaterThan(0);
        expect(Date.parse(kept.endedAt)).toBeGreaterThan(startTime.getTime());
        expect(await watch.query('heard')).toBe(false);
      } finally {
        // What waits for it would keep the worker from its end.
        written.resolve();
      }
      expect(await watch.result()).toBe(state);
      await run.result().catch(() => undefined);
    });
  },
);

test('a run that is refused when it was to go on leaves in its folder how it ended', async () => {
  const { connection, client, bundle } = bare;
  const taskQueue = `kept-later-${process.pid}`;
  const kept: KeptView[] = [];
  const keep = { fn: (_: unknown, _store: string, view: KeptView) => void kept.push(view) };
  const begun: string[] = [];
  const activities = { [beginActivity]: () => (begun.push('again'), 'held') };
  const worker = await Worker.create({ connection, taskQueue, workflowBundle: bundle, activities, sinks: { view: { keep } } });
  await worker.runUntil(async () => {
    const { plan, start } = input(taskQueue, 0);
    const { origin: _origin, ...alone } = start;
    const args = [{ plan, start: alone, state: {} }];
    const run = await client.workflow.start('runPipelineV1', { taskQueue, workflowId: alone.id!, args });
    await expect(run.result()).rejects.toThrow('Workflow execution failed');
  });
  expect(kept).toMatchObject([{ view: { run: `${taskQueue}.one`, state: 'failed' } }]);
  expect(begun).toEqual([]);
});

test('a cancelled run leaves in its folder that it was', async () => {
  const { connection, client, bundle } = bare;
  const taskQueue = `kept-cancelled-${process.pid}`;
  const kept: KeptView[] = [];
  const keep = { fn: (_: unknown, _store: string, view: KeptView) => void kept.push(view) };
  const begins = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const activities = { [beginActivity]: async () => (begins.resolve(), await cancelled.promise, 'held') };
  const worker = await Worker.create({ connection, taskQueue, workflowBundle: bundle, activities, sinks: { view: { keep } } });
  await worker.runUntil(async () => {
    const { plan, start } = input(taskQueue, 1);
    const { origin: _origin, ...alone } = start;
    const run = await client.workflow.start('runPipelineV1', { taskQueue, workflowId: alone.id!, args: [{ plan, start: alone }] });
    await begins.promise;
    await run.cancel();
    cancelled.resolve();
    await expect(run.result()).rejects.toThrow('Workflow execution cancelled');
  });
  // A workflow task that the server refuses, since the cancellation came meanwhile, has written before: the last one stands.
  expect(kept.at(-1)).toMatchObject({ view: { run: `${taskQueue}.one`, state: 'cancelled' } });
});

test('the workflow task waits until the end is written; a run whose folder is gone ends all the same', async () => {
  const root = await mkdtemp(join(tmpdir(), 'portolan-kept-end-'));
  taskQueueOf(root);
  await mkdir(join(root, 'run'));
  const store = pathToFileURL(join(root, 'run')).href;
  const { fn } = keptViews.view.keep;
  const keep = (): void | Promise<void> =>
    fn({} as Parameters<typeof fn>[0], store, {
      view: { run: 'run', pipeline: 'p', state: 'done', steps: [] },
      runId: 'r',
      endedAt: 'now',
      historyEvents: 1,
    });
  await keep();
  expect(existsSync(join(root, 'run/view.json'))).toBe(true);
  await rm(root, { recursive: true });
  await keep();
  expect(existsSync(root)).toBe(false);
});
