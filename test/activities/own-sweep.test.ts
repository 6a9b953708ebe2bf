import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { secretsRead } from '../../activities/own/secrets.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let dir: string;
let world: StepWorld;
const api = new URL('../../index.ts', import.meta.url).href;

/**
 * Items say what becomes of them: `ok`, a status, `throw`, `pass` for what passes at the second attempt, `hold` for what fails when it
 * is let go, `wait` for what is done then.
 */
const sweep = (name: string, effect: string): string => `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: '${name}',
  input: z.strictObject({ items: z.array(z.string()) }),
  effect: '${effect}',
  chunk: 4,
  items: ({ items }) => items.map((what, at) => ({ id: \`i\${at}\`, what })),
  async each({ id, what }, { attempt }) {
    appendFileSync(${JSON.stringify(join(dir, 'called'))}, \`\${id} \`);
    while (['hold', 'wait'].includes(what) && !existsSync(${JSON.stringify(join(dir, 'go'))})) await setTimeout(5);
    if (what === 'hold') throw Object.assign(new Error('not now'), { retryable: true });
    if (what === 'throw') throw new Error('refused');
    if (what === 'pass' && attempt === 1) throw Object.assign(new Error('not yet'), { retryable: true });
    if (!['ok', 'pass', 'wait'].includes(what)) return { status: what, reason: 'said so' };
  },
});
`;

/** Ends its thread when it may have made a key. */
const keys = (): string =>
  sweep('acme.keys', 'never')
    .replace("effect: 'never',", "effect: 'never',\n  operations: ['maps.keys.create'],")
    .replace("throw new Error('refused')", 'process.exit()');

/** Its listing ends the thread, or waits; its items wait: both say a value that no history may hold. */
const listing = (): string => `import { defineSweep, Wait, z } from ${JSON.stringify(api)};
const value = ['canary', 'value'].join('-');
export default defineSweep({
  name: 'acme.listing',
  input: z.strictObject({ items: z.array(z.string()) }),
  effect: 'idempotent',
  items({ items }) {
    if (items[0] === 'exit') process.exit(3);
    if (items[0] === 'wait') throw new Wait(\`the list of \${value} is closed\`, 1);
    return items[0] === 'secret' ? [{ id: 1, value }] : items[0] === 'key' ? [value] : items;
  },
  each() { throw new Wait(\`\${value} is closed\`, 1); },
});
`;

/** Names its items by a column of any type. */
const rows = (): string => `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.rows',
  input: z.strictObject({ rows: z.array(z.any()) }),
  effect: 'idempotent',
  items: ({ rows }) => rows,
  key: ({ no }) => no,
  each: () => undefined,
});
`;

/** Ends its thread, and after that each thread that loads it. */
const broken = (): string => `import { existsSync, writeFileSync } from 'node:fs';
import { defineSweep, z } from ${JSON.stringify(api)};
const ended = ${JSON.stringify(join(dir, 'ended'))};
if (existsSync(ended)) process.exit(4);
export default defineSweep({
  name: 'acme.broken',
  input: z.strictObject({}),
  effect: 'idempotent',
  attempts: 1,
  items: () => ['a', 'b'],
  async each(item) {
    if (item === 'b') {
      writeFileSync(ended, '');
      process.exit(3);
    }
    await new Promise(() => undefined);
  },
});
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-own-'));
  const files = await Promise.all(
    (['idempotent', 'never', 'keys'] as const).map(async (effect) => {
      const file = join(dir, `${effect}.mts`);
      await writeFile(file, effect === 'keys' ? keys() : sweep(`acme.${effect}`, effect));
      return file;
    }),
  );
  for (const [name, code] of Object.entries({ listing: listing(), rows: rows(), broken: broken() })) {
    files.push(join(dir, `${name}.mts`));
    await writeFile(files.at(-1)!, code);
  }
  world = await createStepWorld(files);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** Names of the items that the code was called with, in order. */
const called = async (): Promise<string> => (await readFile(join(dir, 'called'), 'utf8')).trim();
beforeEach(() => writeFile(join(dir, 'called'), ''));

const sweepOf = async (
  effect: 'idempotent' | 'never' | 'keys',
  items: string[],
  tolerate?: { [status: string]: { count?: number; share?: number } },
) => {
  const run = world.newRun();
  const { output, attempts } = await run.step(`acme.${effect}`, { items }, tolerate ? { tolerate } : {});
  return { output, attempts, items: await run.store.readItems() };
};

test('every item has a fate, by its name, and chunks follow one another', async () => {
  const { output, items } = await sweepOf('idempotent', ['ok', 'skipped', 'ok', 'ok', 'ok', 'skipped']);
  expect(output).toMatchObject({ items: 6, done: 4, failed: 0, statuses: { done: 4, skipped: 2 } });
  expect(items.map(({ item, status }) => `${item} ${status}`)).toEqual([
    'i0 done',
    'i1 skipped',
    'i2 done',
    'i3 done',
    'i4 done',
    'i5 skipped',
  ]);
  expect(items[1]!.reason).toBe('said so');
});

test('an item that may pass is tried again, and alone', async () => {
  const { output, items, attempts } = await sweepOf('idempotent', ['ok', 'pass', 'ok']);
  expect(output).toMatchObject({ done: 3, failed: 0 });
  expect(attempts).toBe(4);
  expect(await called()).toBe('i0 i1 i2 i1');
  expect(items.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
});

test("with effect 'never' what failed is not tried again, whatever it says of itself", async () => {
  const { items } = await sweepOf('never', ['ok', 'pass'], { failed: { count: 1 } });
  expect(items.map(({ status, reason }) => [status, reason])).toEqual([
    ['done', null],
    ['failed', expect.stringContaining('not yet')],
  ]);
  expect(await called()).toBe('i0 i1');
});

test('failed items fail the step unless they are tolerated, and any other fate does where the file bounds it', async () => {
  await expect(sweepOf('idempotent', ['ok', 'throw', 'ok', 'throw'])).rejects.toThrow(
    '2 of 4 items failed (50.0 %, tolerated 0); first: i1: refused',
  );
  expect((await sweepOf('idempotent', ['ok', 'throw'], { failed: { share: 0.5 } })).output).toMatchObject({ done: 1, failed: 1 });
  await expect(sweepOf('idempotent', ['ok', 'skipped'], { skipped: { count: 0 } })).rejects.toThrow('1 of 2 items skipped');
});

test('an item that may have made a secret says where secrets are', async () => {
  const { items } = await sweepOf('keys', ['throw'], { unknown: { count: 1 } });
  expect(items).toMatchObject([
    { status: 'unknown', reason: expect.stringMatching(/not begun again; a secret that it made is in \.portolan\/secrets$/) },
  ]);
});

test('a status is a word in lower case', async () => {
  const { items } = await sweepOf('idempotent', ['Not A Word'], { failed: { count: 1 } });
  expect(items).toMatchObject([{ status: 'failed', reason: expect.stringContaining('a word in lower case was expected') }]);
});

/** The one failure of an attempt of `acme.listing`. */
const listed = async (what: string): Promise<string> => {
  const { attempt, argsOf } = world.newRun();
  return attempt('acme.listing', 'prepare', argsOf('acme.listing', { items: [what] })).then(
    () => 'listed',
    (error: Error) => error.message,
  );
};

test('code that ends its thread while it lists items fails with it after three times', async () => {
  const { attempt, argsOf } = world.newRun();
  for (const nonRetryable of [false, false, true])
    await expect(attempt('acme.listing', 'prepare', argsOf('acme.listing', { items: ['exit'] }))).rejects.toMatchObject({
      type: 'ThreadEnded',
      nonRetryable,
    });
});

test('of a file that no thread can load any more each item fails with that', async () => {
  const { attempt, argsOf, store } = world.newRun();
  const args = argsOf('acme.broken', {}, { id: 'broken' });
  const { state } = await attempt('acme.broken', 'prepare', args);
  expect(await attempt('acme.broken', 'main', { ...args, state, chunk: 0 })).toEqual({ done: 2, failed: 2 });
  const reason = expect.stringMatching(/process\.exit\(4\)/);
  expect(await store.readItems({ step: 'broken' })).toMatchObject([
    { item: 'a', status: 'failed', reason },
    { item: 'b', status: 'failed', reason },
  ]);
});

test('no secret that the code has read stands in a wait, an item or its key', async () => {
  secretsRead.note('CRM', 'canary-value');
  expect(await listed('wait')).toBe('the list of [secret CRM] is closed');
  expect(await listed('secret')).toContain("item 0 holds the value of the secret 'CRM'");
  expect(await listed('key')).toContain("the key of item 0 holds the value of the secret 'CRM'");
  const { attempt, argsOf } = world.newRun();
  const args = argsOf('acme.listing', { items: ['one'] });
  const { state } = await attempt('acme.listing', 'prepare', args);
  await expect(attempt('acme.listing', 'main', { ...args, state, chunk: 0 })).rejects.toThrow('[secret CRM] is closed');
});

test.each([
  ['a number', 7],
  ['a boolean', true],
  ['a list', ['7']],
  ['an object', { no: '7' }],
])('the key of an item is a text: what else a sweep gives is said with the item, and not asked again: %s', async (kind, no) => {
  const { attempt, argsOf } = world.newRun();
  const prepared = attempt('acme.rows', 'prepare', argsOf('acme.rows', { rows: [{ no: 'a' }, { no }] }));
  await expect(prepared).rejects.toMatchObject({
    type: 'BadInput',
    nonRetryable: true,
    message: `the key of item 1 of acme.rows must be a text, and key gave ${kind}: write String(…) around it`,
  });
});

/** A chunk of two items, of which the second is under way until the file `go` is written. */
async function held(effect: 'idempotent' | 'never', second: 'hold' | 'wait') {
  await rm(join(dir, 'go'), { force: true });
  const run = world.newRun();
  const args = run.argsOf(`acme.${effect}`, { items: ['ok', second] }, { id: 'held' });
  const { state } = await run.attempt(`acme.${effect}`, 'prepare', args);
  const begun = (async () => {
    while (!(await called()).includes('i1')) await sleep(5);
  })();
  return {
    begun,
    /** Of the chunk. */
    attempt: (phase: 'main' | 'settle', cancelled?: Promise<unknown>) =>
      run.attempt(`acme.${effect}`, phase, { ...args, state, chunk: 0 }, 1, cancelled),
    go: () => writeFile(join(dir, 'go'), ''),
    items: () => run.store.readItems({ step: 'held' }),
  };
}

test('an item that fails in a run that is cancelled, and was to be tried again, has failed', async () => {
  const { begun, attempt, go, items } = await held('idempotent', 'hold');
  const ended = attempt('main', begun);
  await begun;
  await go();
  expect(await ended).toEqual({ done: 2, failed: 1 });
  expect(await items()).toMatchObject([
    { status: 'done' },
    { status: 'failed', reason: expect.stringMatching(/^not now .*; the run ended before it was tried again$/), attempts: 1 },
  ]);
});

test('an item that is under way when its run is cancelled is waited for', async () => {
  const { begun, attempt, go, items } = await held('never', 'wait');
  const ended = attempt('main', begun);
  await begun;
  await go();
  expect(await ended).toEqual({ done: 2 });
  expect(await items()).toMatchObject([{ status: 'done' }, { status: 'done' }]);
});

test('of an item whose worker was lost nobody knows what became of it', async () => {
  const { begun, attempt, go, items } = await held('never', 'wait');
  const lost = attempt('main');
  await begun;
  expect(await attempt('settle')).toEqual({ done: 2, unknown: 1 });
  expect(await items()).toMatchObject([{ status: 'done' }, { item: 'i1', status: 'unknown' }]);
  await go();
  await lost;
});
