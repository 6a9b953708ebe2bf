import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Doors } from '../../activities/own/thread/host/doors.ts';
import { createThreads, type Lease } from '../../activities/own/thread/host/threads.ts';
import { codeVersion } from '../../pipelines/own/code-version.ts';

/** What the code of one execution asks for, and what a kept thread does after it. */
const api = new URL('../../index.ts', import.meta.url).href;
const text = `import { defineStep, z } from ${JSON.stringify(api)};
let left: Promise<string> | undefined;
const release = Promise.withResolvers<void>();
export default defineStep({
  name: 'acme.asks',
  input: z.string(),
  output: z.any(),
  effect: 'safe',
  async run(what, context) {
    if (what === 'exit') process.exit(3);
    if (what === 'leave') left = release.promise.then(() => context.secret('left')).catch((error) => error.message);
    if (what === 'left') {
      release.resolve();
      return [await context.secret('second'), await left];
    }
    if (what === 'rows') await context.rows('r')[Symbol.asyncIterator]().next();
    if (what === 'invoke') await context.invoke('maps.user.get', {});
    if (what === 'pages') for await (const page of context.pages('maps.keys.list', {})) void page;
    return what;
  },
});
`;
let dir: string;
let file: string;
const threads = createThreads();
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-lease-'));
  file = join(dir, 'asks.mts');
  await writeFile(file, text);
});
afterAll(async () => {
  threads.close();
  await rm(dir, { recursive: true, force: true });
});

const never = (): Promise<never> => new Promise(() => undefined);
const doorsOf = (doors: Partial<Doors>): Doors => ({
  progress: () => undefined,
  invoke: never,
  pages: () => expect.unreachable('no pages are asked for'),
  fetch: never,
  secret: async (name) => name,
  rows: () => expect.unreachable('no rows are asked for'),
  ...doors,
});
const use = async <T>(work: (lease: Lease) => Promise<T>): Promise<T> =>
  threads.use({ file, version: codeVersion(file) }, async (lease) => {
    await lease.ready();
    return work(lease);
  });
const call = (lease: Lease, input: string, doors: Partial<Doors> = {}, signal = new AbortController().signal) =>
  lease.call({ method: 'run', input: { input, attempt: 1, run: { id: 'r', pipeline: 'p' } }, doors: doorsOf(doors), signal }).ended;

test('what an execution left running in a kept thread asks nothing in the name of the next one', async () => {
  const asked: string[] = [];
  await use((lease) => call(lease, 'leave'));
  const secret = async (name: string): Promise<string> => (asked.push(name), name);
  const [second, left] = JSON.parse(await use((lease) => call(lease, 'left', { secret }))) as string[];
  expect([second, left, asked]).toEqual(['second', 'the step that asks has ended: nothing more is done for it', ['second']]);
});

test('what the code has not read to the end is ended with its call', async () => {
  let ended = 0;
  async function* rows() {
    try {
      for (;;) yield {};
    } finally {
      ended++;
    }
  }
  await use(async (lease) => {
    await call(lease, 'rows', { rows });
    await vi.waitFor(() => expect(ended).toBe(1), 300_000);
  });
});

test.each(['invoke', 'pages'])('%s is ended with the item or attempt that asks', async (what) => {
  const stop = new AbortController();
  const ended = Promise.withResolvers<unknown>();
  let heard = false;
  const waits = async (signal: AbortSignal | undefined): Promise<never> => {
    signal?.addEventListener('abort', () => {
      heard = true;
      ended.resolve(signal.reason);
    });
    stop.abort(new Error('no more time'));
    return ended.promise.then((reason) => {
      throw reason;
    });
  };
  const doors = {
    invoke: (_: unknown, __: unknown, options?: { signal?: AbortSignal }) => waits(options?.signal),
    async *pages(_: unknown, __: unknown, options?: { signal?: AbortSignal }) {
      yield await waits(options?.signal);
    },
  } satisfies Partial<Doors>;
  await use(async (lease) => {
    await expect(call(lease, what, doors, stop.signal)).rejects.toThrow('no more time');
    expect(heard).toBe(true);
  });
});

test('a thread that is started again runs what the worker has read, or nothing', async () => {
  await use(async (lease) => {
    await expect(call(lease, 'exit')).rejects.toMatchObject({ name: 'ThreadEnded' });
    expect(await call(lease, 'again')).toBe('"again"');
    await expect(call(lease, 'exit')).rejects.toMatchObject({ name: 'ThreadEnded' });
    await writeFile(file, `${text}\n`);
    await expect(call(lease, 'edited')).rejects.toThrow('is not what it was when this worker started');
  });
});
