import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMap } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
let map: string;
beforeAll(async () => {
  world = await createStepWorld();
  ({ map } = await createMap(world));
});
afterAll(() => world[Symbol.asyncDispose]());

const idsOf = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, at) => `row-${from + at}`);

/** A run with a list of points, and its tag step. */
async function tagger(ids: string[]) {
  const run = world.newRun();
  const points = await run.store.writeIds('points', [ids]);
  return { run, tag: (input: object) => run.step('points.tag', { map, points, ...input }) };
}

const sent = async (act: () => Promise<unknown>): Promise<number> =>
  (await world.callsOf(act)).calls.filter((each) => each === 'maps.tags.update').length;

test('a tag is added, taken away and added again: each is sent, and each once', async () => {
  const { run, tag } = await tagger(idsOf(0, 5));
  expect((await tag({ add: 'seen' })).output).toMatchObject({ tag: 'seen', count: 5, missing: 0, unchanged: false });
  const removed = await tag({ remove: 'seen' });
  expect(removed.output).toMatchObject({ count: 5, unchanged: false });
  expect(removed.counts).toEqual({ done: 5, untagged: 5, missing: 0 });
  expect((await run.store.countItems()).map(({ status, count }) => [status, count])).toEqual([['untagged', 5]]);
  expect((await tag({ add: 'seen' })).output).toMatchObject({ count: 5, unchanged: false });
  const journal = (await world.control.journal()).rows.filter(({ operation }) => operation === 'maps.tags.update');
  expect(journal.map(({ act, changed }) => [act, changed])).toEqual([
    ['add', 6],
    ['remove', 5],
    ['add', 5],
  ]);
});

test('what an earlier run did is not sent again, unless it is asked for', async () => {
  const ids = idsOf(10, 14);
  await (await tagger(ids)).tag({ add: 'kept' });
  const { tag } = await tagger(ids);
  let again: unknown;
  expect(await sent(async () => (again = await tag({ add: 'kept' })))).toBe(0);
  expect(again).toMatchObject({ output: { count: 4, unchanged: true }, counts: { done: 4 } });
  expect((again as { counts: object }).counts).not.toHaveProperty('tagged');
  expect(await sent(() => tag({ add: 'kept', again: true }))).toBe(1);
});

test('a tag that was taken from some of the points, or perhaps was, is added again', async () => {
  const ids = idsOf(50, 56);
  const add = async () => (await (await tagger(ids)).tag({ add: 'partly' })).output;
  await add();
  await (await tagger(ids.slice(0, 2))).tag({ remove: 'partly' });
  await (await tagger(ids.slice(4))).tag({ add: 'partly' });
  expect(await sent(add)).toBe(1);
  await world.control.fault('maps.tags.update', 1, { status: 400 });
  await expect((await tagger(ids.slice(2))).tag({ remove: 'partly' })).rejects.toThrow('400');
  expect(await sent(add)).toBe(1);
});

test('of an addition and a removal at the same time nobody knows which came last', async () => {
  const ids = idsOf(56, 60);
  const open = async (input: object) => {
    const run = world.newRun();
    const points = await run.store.writeIds('points', [ids]);
    const args = run.argsOf('points.tag', { map, points, ...input });
    const { state } = await run.attempt('points.tag', 'prepare', args);
    const counts = await run.attempt('points.tag', 'main', { ...args, state, chunk: 0 });
    return () => run.attempt('points.tag', 'finish', { ...args, state, counts });
  };
  const endAdding = await open({ add: 'both' });
  const endRemoving = await open({ remove: 'both' });
  await endAdding();
  await endRemoving();
  for (const input of [{ remove: 'both' }, { add: 'both' }])
    expect(await sent(async () => (await tagger(ids)).tag(input)), JSON.stringify(input)).toBe(1);
  // Alone they are known again.
  expect(await sent(async () => (await tagger(ids)).tag({ add: 'both' }))).toBe(0);
});

test('other points, another tag or another map of points are another job', async () => {
  await (await tagger(idsOf(20, 24))).tag({ add: 'one' });
  expect(await sent(async () => (await tagger(idsOf(21, 25))).tag({ add: 'one' }))).toBe(1);
  expect(await sent(async () => (await tagger(idsOf(20, 24))).tag({ add: 'two' }))).toBe(1);
});

test('ids that the map does not have are counted apart from the others, with the reason', async () => {
  const { run, tag } = await tagger([...idsOf(30, 33), 'ghost', ...idsOf(33, 36)]);
  expect((await tag({ add: 'found' })).output).toMatchObject({ count: 6, missing: 1 });
  expect(await run.store.readItems({ status: 'missing' })).toMatchObject([
    { item: 'ghost', reason: expect.stringContaining('no row with this id') },
  ]);
});
