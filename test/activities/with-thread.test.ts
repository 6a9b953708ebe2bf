import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { withThread } from '../../activities/own/with-thread.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { z } from 'zod';

const own: OwnStep = { name: 'acme.crash', input: z.unknown(), output: z.unknown(), effect: 'idempotent', run: () => ({}) };
const file = { file: '/steps/crash.mts', version: '1' };

type Attempt = { identity?: string; begun?: () => string[]; work?: () => Promise<unknown> };

/** Attempts of one chunk in a folder of a run's own. */
async function activity() {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-marks-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = createRunStore(pathToFileURL(folder).href);
  let attempts = 0;
  return {
    marks: () => readdir(store.path('processes')).catch(() => []),
    attempt: ({ begun = () => [], work = async () => 'done' }: Attempt = {}) =>
      withThread(
        file,
        { own, name: 'run', underWay: begun },
        {
          store,
          place: ['all', 'chunk', '0'],
          attemptId: `run-${++attempts}`,
          threads: { use: (_, use) => use({} as never), close: () => undefined },
        },
        work,
      ),
    folder,
  };
}

/** A process that begins an attempt of the activity in a folder, and is killed in it. */
async function killedIn(folder: string, attempt: string): Promise<void> {
  const code = `
    import { pathToFileURL } from 'node:url';
    const { withThread } = await import(${JSON.stringify(new URL('../../activities/own/with-thread.ts', import.meta.url).href)});
    const { createRunStore } = await import(${JSON.stringify(new URL('../../store/create-run-store.ts', import.meta.url).href)});
    const store = createRunStore(pathToFileURL(${JSON.stringify(folder)}).href);
    await withThread({ file: '', version: '' }, { own: { name: 'acme.crash' }, name: 'run' }, {
      store, place: ['all', 'chunk', '0'], attemptId: ${JSON.stringify(attempt)},
      threads: { use: () => process.kill(process.pid, 'SIGKILL') },
    }, async () => {});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

test('after three processes in a row that ended under the code of a step it is not called again', async () => {
  const { folder, attempt } = await activity();
  for (const name of ['a', 'b']) await killedIn(folder, name);
  await killedIn(folder, 'c');
  await expect(attempt({ begun: () => ['film-1', 'film-2', 'film-3', 'film-4'] })).rejects.toMatchObject({
    name: 'ProcessEnded',
    message:
      "the worker's process ended 3 times in a row while run of acme.crash ran; begun and not ended: film-1, film-2, film-3 and 1 more",
    at: [expect.stringMatching(/crash\.mts:\d+:\d+$/)],
  });
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
