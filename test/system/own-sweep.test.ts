import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { KeptItem } from '../../store/run-store.ts';
import { useServer } from '../support/use-server.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const items = 200;
/** Items of a chunk that are under way at a time, and of the two chunks that are. */
const ofChunk = 4;
const atOnce = 2 * ofChunk;

/** Items that may have been under way when an attempt ended: beside those of the last ones, which a busy machine gives away as well. */
async function underWay(run: string): Promise<number> {
  const entries = await readdir(world.store(run).path('intents'), { recursive: true, withFileTypes: true });
  const journals = entries.filter((entry) => entry.isFile());
  const chunks = new Set(journals.map(({ parentPath }) => parentPath));
  return atOnce + ofChunk * (journals.length - chunks.size);
}

/** Takes one POST per item and counts them; holds the answers from the nth on until released. */
let received: string[] = [];
let holdFrom = Infinity;
let held = Promise.withResolvers<void>();
let release = Promise.withResolvers<void>();
/** Their answers are held from the last of these on; of those before it, only what was under way beside it has none. */
const untilHeld = 90;
/**
 * What was sent before the worker was killed. How often an attempt of the next one is given away, so that another attempt finds what
 * it had under way, is up to the machine.
 */
const sentBefore = (): Set<string> => new Set(received.slice(0, untilHeld));
const { url } = useServer(async (request, response) => {
  received.push(request.url!.slice(1));
  request.resume();
  if (received.length >= holdFrom) {
    held.resolve();
    await release.promise;
  }
  response.end();
});

const api = new URL('../../index.ts', import.meta.url).href;
const sweep = (name: string, effect: string): string => `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: '${name}',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: '${effect}',
  chunk: 20,
  atOnce: 4,
  window: 2,
  *items({ url, count }) {
    for (let id = 0; id < count; id++) yield { id: \`i\${id}\`, url };
  },
  async each({ id, url }, { attempt, index }) {
    await (await fetch(\`\${url}/\${id}\`, { method: 'POST' })).arrayBuffer();
    if (id === 'i7') return { status: 'skipped', reason: 'seven' };
    if (id === 'i8') throw new Error('eight is refused');
    if (index === 9 && attempt === 1) throw Object.assign(new Error('not yet'), { retryable: true });
  },
});
`;
const pipeline = (use: string, tolerate = '{ failed: 1 }'): string => `
name: sweeping
params: { url: { type: string } }
steps:
  all: { use: ${use}, with: { url: "\${{ params.url }}", count: ${items} }, tolerate: ${tolerate} }
outputs: { all: "\${{ steps.all }}" }
`;
const run = (use: string, tolerate?: string) => world.run(pipeline(use, tolerate), { url: url() });

const deaf = `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.deaf',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: 'never',
  attemptSeconds: 0.5,
  items: () => ['hears', 'deaf'],
  each: (item) => (item === 'deaf' ? new Promise<void>(() => undefined) : undefined),
});
`;

const busy = `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.busy',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: 'idempotent',
  atOnce: 1,
  attempts: 20,
  items: ({ url }) => ['fine', 'busy'].map((id) => ({ id, url })),
  async each({ id, url }) {
    await (await fetch(\`\${url}/\${id}\`, { method: 'POST' })).arrayBuffer();
    if (id === 'busy') throw Object.assign(new Error('not now'), { retryable: true });
  },
});
`;

beforeAll(async () => {
  await world.write('steps/each.mts', sweep('acme.each', 'idempotent'));
  await world.write('steps/once.mts', sweep('acme.once', 'never'));
  await world.write('steps/deaf.mts', deaf);
  await world.write('steps/busy.mts', busy);
  await world.worker.stop();
  await world.worker.start(0);
});
beforeEach(() => {
  received = [];
  holdFrom = Infinity;
  held = Promise.withResolvers();
  release = Promise.withResolvers();
});
afterAll(() => {
  release.resolve();
});

test('every item ends in the ledger with its fate, and one that may pass is tried again alone', async () => {
  const { result } = await run('acme.each');
  expect(result).toMatchObject({
    state: 'done',
    outputs: { all: { items, done: items - 2, failed: 1, statuses: { done: items - 2, skipped: 1, failed: 1 } } },
  });
  expect(received).toHaveLength(items + 1);
  expect(received.filter((id) => id === 'i9')).toHaveLength(2);
  const ledger = await world.store(result.run).readItems({ step: 'all' });
  expect(new Set(ledger.map(({ item }) => item)).size).toBe(items);
  expect(ledger.filter(({ status }) => status !== 'done').map(({ item, status, reason }) => [item, status, reason])).toEqual([
    ['i7', 'skipped', 'seven'],
    ['i8', 'failed', expect.stringMatching(/^eight is refused \(each\.mts:\d+:\d+\)$/)],
  ]);
});

test('a failed item that is not tolerated fails the run when all others have been worked on', async () => {
  const { result } = await run('acme.each', '{ failed: 0 }');
  expect(result).toMatchObject({ state: 'failed', error: { step: 'all', message: expect.stringContaining('i8: eight is refused') } });
  expect(new Set(received).size).toBe(items);
});

/** Starts a run, kills the worker while items are under way, and lets a new one end it. */
async function killed(use: string) {
  holdFrom = untilHeld;
  const id = await world.start(pipeline(use, '{ failed: 2, unknown: 100% }'), { url: url() });
  await held.promise;
  await world.worker.kill();
  const most = await underWay(id);
  holdFrom = Infinity;
  release.resolve();
  await world.worker.start(0);
  const { view } = await world.ended(id);
  return { view, most, ledger: await world.store(id).readItems({ step: 'all' }), sent: Map.groupBy(received, (item) => item) };
}

test('a killed worker loses no item, and only those under way are sent again', async () => {
  const { view, most, ledger, sent } = await killed('acme.each');
  expect(view.state).toBe('done');
  expect(ledger).toHaveLength(items);
  expect(sent.size).toBe(items);
  const twice = [...sentBefore()].filter((item) => item !== 'i9' && sent.get(item)!.length > 1);
  expect(twice.length).toBeGreaterThan(0);
  expect(twice.length).toBeLessThanOrEqual(most);
});

test("with effect 'never' nothing is sent twice: what was under way ends as unknown", async () => {
  const { view, most, ledger, sent } = await killed('acme.once');
  expect(view.state).toBe('done');
  const unknown = ledger.filter(({ status }) => status === 'unknown');
  expect(unknown.length).toBeGreaterThan(0);
  checkMost(unknown, most);
  expect(ledger).toHaveLength(items);
  expect([...sent.values()].every((calls) => calls.length === 1)).toBe(true);
});

test("code that hears no signal ends with its time; with effect 'never' nobody knows what it did", async () => {
  const { result } = await run('acme.deaf', '{ unknown: 1 }');
  expect(result).toMatchObject({ state: 'done', outputs: { all: { done: 1, statuses: { unknown: 1 } } } });
  const [unknown] = await world.store(result.run).readItems({ step: 'all', status: 'unknown' });
  expect(unknown).toMatchObject({ item: 'deaf', reason: expect.stringMatching(/^no end after 0\.5 s/) });
});

/** Cancels a run while items are under way, after `before`; their answers come then. */
async function cancelled(use: string, before: () => Promise<unknown>, after: () => Promise<unknown>) {
  holdFrom = untilHeld;
  const id = await world.start(pipeline(use, '{ failed: 2, unknown: 100% }'), { url: url() });
  await held.promise;
  await before();
  const most = await underWay(id);
  expect(await world.portolan(['cancel', id])).toMatchObject({ code: 0 });
  release.resolve();
  await after();
  const { view } = await world.ended(id);
  expect(view.state).toBe('cancelled');
  const ledger = await world.store(id).readItems({ step: 'all' });
  const unknown = ledger.filter(({ status }) => status === 'unknown');
  // What the view counts is what the ledger has.
  const { done = 0, unknown: unclear = 0 } = view.steps[0]!.counts ?? {};
  expect([done, unclear]).toEqual([ledger.length, unknown.length]);
  return { ledger: new Set(ledger.map(({ item }) => item)), unknown, most, sent: new Set(received) };
}
/** No more of what was sent before the kill is unknown than was under way. */
function checkMost(unknown: readonly KeptItem[], most: number): void {
  const before = unknown.filter(({ item }) => sentBefore().has(item));
  expect(before.length, before.map(({ item, reason }) => `${item}: ${reason}`).join('\n')).toBeLessThanOrEqual(most);
}
const nothing = async (): Promise<void> => undefined;

test.each(['acme.each', 'acme.once'])(
  'of a cancelled run of %s service, ledger and view know the same: what was sent is waited for',
  async (use) => {
    const { ledger, unknown, sent } = await cancelled(use, nothing, nothing);
    expect(ledger).toEqual(sent);
    expect(unknown).toEqual([]);
    expect(ledger.size).toBeLessThan(items);
  },
);

test.each([
  ['while it is waited for the next attempt', Infinity],
  ['while an attempt is under way', 3],
])('an item that failed and was to be tried again has failed where its run is cancelled: %s', async (_, from) => {
  holdFrom = from;
  const id = await world.start(pipeline('acme.busy'), { url: url() });
  if (from === Infinity) await world.until(id, ({ pending }) => pending.some(({ attempt, waiting }) => attempt > 1 || waiting));
  else await held.promise;
  expect(await world.portolan(['cancel', id])).toMatchObject({ code: 0 });
  release.resolve();
  expect((await world.ended(id)).view).toMatchObject({ state: 'cancelled', steps: [{ counts: { done: 2, failed: 1 } }] });
  const ledger = (await world.store(id).readItems({ step: 'all' })).toSorted((a, b) => (a.item < b.item ? -1 : 1));
  expect(ledger).toMatchObject([
    {
      item: 'busy',
      status: 'failed',
      reason: expect.stringMatching(/^not now \(busy\.mts:\d+:\d+\); the run ended before it was tried again$/),
      attempts: received.length - 1,
    },
    { item: 'fine', status: 'done' },
  ]);
});

test('what a worker that was lost had sent is unknown in a run that is cancelled before another takes over', async () => {
  const { ledger, unknown, most, sent } = await cancelled(
    'acme.once',
    () => world.worker.kill(),
    () => world.worker.start(0),
  );
  // What was begun is unknown, whether or not it had left.
  expect([...sent.difference(ledger)]).toEqual([]);
  expect([...ledger.difference(sent).difference(new Set(unknown.map(({ item }) => item)))]).toEqual([]);
  expect(unknown.length).toBeGreaterThan(0);
  checkMost(unknown, most);
});
