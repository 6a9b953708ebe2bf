import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createThreads } from '../../activities/own/thread/host/threads.ts';
import { withThread } from '../../activities/own/with-thread.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { z } from 'zod';

const own: OwnStep = { name: 'acme.crash', input: z.unknown(), output: z.unknown(), effect: 'idempotent', run: () => ({}) };
const file = { file: '/steps/crash.mts', version: '1' };

type Attempt = { step?: string; begun?: () => string[]; work?: () => Promise<unknown> };

/** Attempts of a chunk in a folder of a run's own. */
async function activity() {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-marks-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = createRunStore(pathToFileURL(folder).href);
  const threads = createThreads();
  const { signal } = new AbortController();
  let attempts = 0;
  return {
    marks: () => readdir(store.path('processes')).catch(() => []),
    attempt: ({ step = 'all', begun = () => [], work = async () => 'done' }: Attempt = {}) =>
      withThread(
        file,
        { own, name: 'run', underWay: begun },
        { store, place: [step, 'chunk', '0'], attemptId: `run-${++attempts}`, threads, signal },
        work,
      ),
    folder,
  };
}

/** A process that begins an attempt of each step in a folder, in this order, and is killed by the code of the first. */
async function killedIn(folder: string, attempt: string, steps: readonly string[] = ['all']): Promise<void> {
  const module = (path: string): string => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
  const code = `
    import { pathToFileURL } from 'node:url';
    const { withThread } = await import(${module('activities/own/with-thread.ts')});
    const { createThreads } = await import(${module('activities/own/thread/host/threads.ts')});
    const { createRunStore } = await import(${module('store/create-run-store.ts')});
    const store = createRunStore(pathToFileURL(${JSON.stringify(folder)}).href);
    const threads = createThreads();
    const { signal } = new AbortController();
    const [first, ...others] = ${JSON.stringify(steps)};
    const begin = (step, work) =>
      withThread({ file: '', version: '' }, { own: { name: 'acme.crash' }, name: 'run' },
        { store, place: [step, 'chunk', '0'], attemptId: ${JSON.stringify(attempt)}, threads, signal }, work);
    void begin(first, () => new Promise(() => setImmediate(() => process.kill(process.pid, 'SIGKILL'))));
    for (const step of others) void begin(step, () => new Promise(() => undefined));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

test('after three processes in a row that ended under the code of a step, the last one under it alone, it is not called again', async () => {
  const { folder, attempt } = await activity();
  for (const name of ['a', 'b']) await killedIn(folder, name);
  await killedIn(folder, 'c');
  await expect(attempt({ begun: () => ['film-1', 'film-2', 'film-3', 'film-4'] })).rejects.toMatchObject({
    name: 'ProcessEnded',
    message:
      "the worker's process ended 3 times in a row while run of acme.crash ran, at last with no other own step beside it; begun and not ended: film-1, film-2, film-3 and 1 more",
    at: [expect.stringMatching(/crash\.mts:\d+:\d+$/)],
  });
});

test('a step that ran beside the one that ends processes is called, and that one is not', async () => {
  const { folder, attempt } = await activity();
  for (const name of ['a', 'b', 'c']) await killedIn(folder, name, ['all', 'beside']);
  expect(await attempt({ step: 'beside' })).toBe('done');
  await expect(attempt()).rejects.toThrow("the worker's process ended 3 times in a row");
});

test('a step under which two processes have ended begins when no other runs, and no other while it runs', async () => {
  const { folder, attempt } = await activity();
  for (const name of ['a', 'b']) await killedIn(folder, name);
  const order: string[] = [];
  const works = ['first', 'beside', 'all', 'last'].map((step) => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const work = (): Promise<void> => (order.push(step), begun.resolve(), held.promise);
    return { end: held.resolve, begun: begun.promise, over: attempt({ step, work }) };
  });
  const [first, beside, all, last] = works as [(typeof works)[0], (typeof works)[0], (typeof works)[0], (typeof works)[0]];
  await Promise.all([first.begun, beside.begun]);
  first.end();
  await first.over;
  expect(order).toEqual(['first', 'beside']);
  beside.end();
  await all.begun;
  expect(order).toEqual(['first', 'beside', 'all']);
  all.end();
  await last.begun;
  last.end();
  await Promise.all(works.map(({ over }) => over));
});

test('attempts that one process had at the same time are judged only after one that ran alone', async () => {
  const { folder, attempt, marks } = await activity();
  for (const name of ['a', 'b', 'c']) await killedIn(folder, name);
  for (const name of await marks()) {
    const path = join(folder, 'processes', name);
    await writeFile(path, (await readFile(path, 'utf8')).replace('"alone":true', '"alone":false'));
  }
  expect(await attempt()).toBe('done');
});

test('an attempt that ends, well or not, begins the count anew', async () => {
  const { folder, attempt, marks } = await activity();
  for (const name of ['a', 'b']) await killedIn(folder, name);
  const failing = (): Promise<never> => Promise.reject(new Error('busy'));
  await expect(attempt({ work: failing })).rejects.toThrow('busy');
  expect(await marks()).toEqual([]);
  await killedIn(folder, 'd');
  expect(await attempt()).toBe('done');
});

test('a process of another host is not taken for one that has ended', async () => {
  const { folder, attempt, marks } = await activity();
  for (const name of ['a', 'b', 'c']) await killedIn(folder, name);
  for (const name of await marks()) {
    const path = join(folder, 'processes', name);
    await writeFile(path, (await readFile(path, 'utf8')).replace(JSON.stringify(hostname()), '"another"'));
  }
  expect(await attempt()).toBe('done');
});

test('attempts that were given away while their process lives are not counted', async () => {
  const { attempt } = await activity();
  const held = Promise.withResolvers<string>();
  const given: Promise<unknown>[] = [];
  for (let count = 0; count < 4; count++) {
    const begun = Promise.withResolvers<void>();
    given.push(attempt({ work: () => (begun.resolve(), held.promise) }));
    await Promise.race([begun.promise, given.at(-1)]);
  }
  held.resolve('late');
  expect(await Promise.all(given)).toEqual(['late', 'late', 'late', 'late']);
});
