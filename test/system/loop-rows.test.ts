import { expect, test } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';
import { useWorld } from './support.ts';
import { namesTable, usePosts } from './support-posts.ts';

const world = useWorld();
const posts = usePosts(world);

type Loop = { use?: string; key?: string; tolerate?: string; parallel?: number; alone?: boolean };
const pipeline = (rows: string, { use = 'acme.posts', key = '', tolerate = '', parallel = 8, alone = false }: Loop = {}): string => `
name: rows
params: { url: { type: string } }
steps:
  all:
    forEach: { rows: ${rows}, as: animal, parallel: ${parallel}${key === '' ? '' : `, key: ${key}`} }
    ${tolerate}
    steps:
      post: { use: ${use}, with: { url: "\${{ params.url }}", name: "\${{ animal.name }}" } }
      ${alone ? '' : again(use)}
    outputs: { name: "\${{ animal.name }}", length: "\${{ steps.post.length }}"${alone ? '' : `, again: "\${{ steps.?again.said.orValue('no') }}"`} }
outputs: { all: "\${{ steps.all }}", done: "\${{ steps.all.done }}" }
`;
const again = (use: string): string =>
  `again: { use: ${use}, when: "\${{ animal.number == 1 }}", with: { url: "\${{ params.url }}", name: "\${{ steps.post.said + '-again' }}" } }`;
const many = (): Promise<string> =>
  namesTable(
    world,
    Array.from({ length: 300 }, (_, at) => `n${at}`),
  );

test('steps are done for each row of a table, and what they give is a table in the order of the rows', async () => {
  const { result } = await world.run(pipeline(await namesTable(world, ['ant', 'bee', 'later']), { parallel: 1 }), { url: posts.url() });
  const rows = [
    { name: 'ant', length: 3, again: 'no' },
    { name: 'bee', length: 3, again: 'BEE-AGAIN' },
    { name: 'later', length: 5, again: 'no' },
  ];
  expect(result).toMatchObject({ state: 'done', outputs: { all: { count: 3, done: 3, failed: 0, rows } } });
  expect(posts.received()).toEqual(['ant', 'bee', 'BEE-again', 'later', 'later']);
  const { results } = result.outputs['all'] as { results: string };
  expect(await queryFiles(`select name, length::integer as length, again from read_parquet('${results}')`)).toEqual(rows);
  expect(await world.store(result.run).readItems({ step: 'all' })).toMatchObject([
    { item: '0', status: 'done', attempts: 1 },
    { item: '1', status: 'done', attempts: 1 },
    { item: '2', status: 'done', attempts: 2 },
  ]);
});

test('a row that fails ends the loop before the rows behind it; as many as the file tolerates do not', async () => {
  const rows = await namesTable(world, ['ant', 'bad', 'cat', 'worse', ...Array.from({ length: 46 }, (_, at) => `n${at}`)]);
  posts.refuse('bad', 'worse');
  const strict = await world.run(pipeline(rows, { parallel: 1, key: 'name' }), { url: posts.url() });
  expect(strict.result).toMatchObject({
    state: 'failed',
    error: { step: 'all', message: expect.stringMatching(/^1 of 50 rows failed, the last one at all\[1\]\.post: bad is refused/) },
  });
  expect(posts.received()).toEqual(['ant', 'bad']);
  const lenient = await world.run(pipeline(rows, { key: 'name', tolerate: 'tolerate: { failed: 4% }' }), { url: posts.url() });
  expect(lenient.result).toMatchObject({ state: 'done', outputs: { all: { count: 50, done: 48, failed: 2 } } });
  expect(await world.store(lenient.result.run).readItems({ step: 'all', status: 'failed' })).toMatchObject([
    { item: 'bad', reason: expect.stringMatching(/^all\[1\]\.post: bad is refused/) },
    { item: 'worse' },
  ]);
});

/** Starts a run over 300 rows, kills the worker while rows are under way, and lets a new one end it. */
const untilHeld = 150;
async function killed(use: string, more: Loop = {}) {
  const held = posts.holdFrom(untilHeld);
  const id = await world.start(pipeline(await many(), { use, ...more }), { url: posts.url() });
  await held;
  await world.worker.kill();
  posts.release();
  await world.worker.start(0);
  const { view } = await world.ended(id);
  // How often an attempt of the new worker is given away, and what it has under way is begun again, is up to the machine.
  const sentBefore = new Set(posts.received().slice(0, untilHeld));
  return { id, view, sentBefore, sent: Map.groupBy(posts.received(), (name) => name) };
}

// Of a single step nothing but the end of its row says that it was done.
test.each([false, true])('a killed worker loses no row, and only those under way are begun again: a step alone %s', async (alone) => {
  const { id, view, sent, sentBefore } = await killed('acme.posts', { alone });
  expect(view).toMatchObject({ state: 'done', outputs: { done: 300 } });
  expect(sent.size).toBe(alone ? 300 : 301);
  const twice = [...sentBefore].filter((name) => sent.get(name)!.length > 1);
  expect(twice.length).toBeGreaterThan(0);
  expect(twice.length).toBeLessThanOrEqual(4);
  expect(await world.store(id).readItems({ step: 'all' })).toHaveLength(300);
  const [history] = await world.histories(id);
  expect(history!.events!.length).toBeLessThan(40);
});

test("with effect 'never' nothing is sent twice: of what was under way nobody knows, and the run says so", async () => {
  const { id, view, sent, sentBefore } = await killed('acme.once');
  expect(view).toMatchObject({ state: 'failed', error: { type: 'Undecided', step: 'all' } });
  expect([...sent.values()].every((calls) => calls.length === 1)).toBe(true);
  const unknown = await world.store(id).readItems({ step: 'all', status: 'unknown' });
  expect(unknown.length).toBeGreaterThan(0);
  expect(unknown.filter(({ item }) => sentBefore.has(`n${item}`)).length).toBeLessThanOrEqual(4);
});

test('a cancelled run begins no further row, and the ledger has every row that it began', async () => {
  const held = posts.holdFrom(90);
  const id = await world.start(pipeline(await many()), { url: posts.url() });
  await held;
  expect(await world.portolan(['cancel', id])).toMatchObject({ code: 0 });
  // Nothing is answered any more: what was sent has its time, and then nobody knows.
  const { view } = await world.ended(id);
  expect(view).toMatchObject({ state: 'cancelled', steps: [{ id: 'all', status: 'cancelled' }] });
  const ledger = await world.store(id).readItems({ step: 'all' });
  expect(new Set(ledger.map(({ item }) => `n${item}`))).toEqual(new Set(posts.received().filter((name) => !name.endsWith('-again'))));
  const unknown = ledger.filter(({ status }) => status === 'unknown').length;
  expect(unknown).toBeGreaterThan(0);
  expect(unknown).toBeLessThanOrEqual(4);
  expect(view.steps[0]!.counts).toEqual({ done: ledger.length, unknown });
});

test('a paused run begins no further row; resumed it goes on with those that are left', async () => {
  const held = posts.holdFrom(90);
  const id = await world.start(pipeline(await many()), { url: posts.url() });
  await held;
  expect(await world.portolan(['pause', id])).toMatchObject({ code: 0 });
  // What was sent has its time to be answered, and then the chunk is given up.
  await world.until(id, ({ view, pending }) => view.state === 'paused' && pending.length === 0);
  const before = posts.received().length;
  posts.release();
  expect(await world.portolan(['resume', id])).toMatchObject({ code: 0 });
  const { view } = await world.ended(id);
  expect(view).toMatchObject({ state: 'done', outputs: { done: 300 }, steps: [{ counts: { done: 300 } }] });
  expect(before).toBeLessThanOrEqual(93);
  const sent = Map.groupBy(posts.received(), (name) => name);
  expect(sent.size).toBe(301);
  expect([...sent.values()].filter((calls) => calls.length > 1).length).toBeLessThanOrEqual(4);
});

test.for(['rows', 'items'])('behind a failure that the file tolerates nobody knows what was done: a loop over %s fails', async (over) => {
  const names = ['ant', 'bee'];
  posts.refuse(...names, ...names.map((name) => `${name}-2`));
  const list = over === 'rows' ? `rows: ${await namesTable(world, names)}` : 'items: [{ name: ant }, { name: bee }]';
  const with_ = (name: string): string => `with: { url: "\${{ params.url }}", name: "\${{ ${name} }}" }`;
  const { code, result } = await world.run(
    `name: unknown
params: { url: { type: string } }
steps:
  all:
    forEach: { ${list} }
    tolerate: { failed: 100% }
    steps:
      post: { use: acme.posts, ${with_('item.name')} }
      again: { use: acme.once, needs: { post: [failed] }, ${with_("item.name + '-2'")} }
`,
    { url: posts.url() },
    ['--accept', 'again'],
  );
  expect([code, result.state, result.error]).toEqual([1, 'failed', expect.objectContaining({ type: 'Undecided', step: 'all' })]);
});
