import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshMs } from '../../pipelines/last-effect.ts';
import { addRows, built, createMap } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
let map: string;
let project: string;
beforeAll(async () => {
  world = await createStepWorld();
  ({ map, project_id: project } = await createMap(world));
});
afterAll(() => world[Symbol.asyncDispose]());

/** Somebody else changes a tag: no run of this store. */
async function byHand(operation: 'add' | 'remove', tag_name: string, ids: readonly string[]): Promise<void> {
  const asked = { projection_id: map, tag_name, ids, operation, id_field: 'id' };
  expect((await world.api.post('/v1/query/update/tag/ids', asked)).status).toBe(200);
}

const idsOf = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, at) => `row-${from + at}`);

/** A run with a list of points, and its tag step. */
async function tagger(ids: string[]) {
  const run = world.newRun();
  const points = await run.store.writeIds('points', [ids]);
  return { run, tag: (input: object) => run.step('points.tag', { map, points, ...input }) };
}

const sent = async (act: () => Promise<unknown>): Promise<number> =>
  (await world.callsOf(act)).calls.filter((each) => each === 'maps.tags.update').length;

// The record of the run store decides alone where the map does not say which points have a tag.
describe.each(['tiles', 'none'] as const)('where the points of a tag can be read by %s', (reading) => {
  beforeAll(() => world.control.assume({ 'tag-points': reading }));
  afterAll(() => world.control.assume());
  const named = (tag: string): string => `${tag} ${reading}`;

  test('a tag is added, taken away and added again: each is sent, and each once', async () => {
    const { run, tag } = await tagger(idsOf(0, 5));
    expect((await tag({ add: named('seen') })).output).toMatchObject({ tag: named('seen'), count: 5, missing: 0, unchanged: false });
    const removed = await tag({ remove: named('seen') });
    expect(removed.output).toMatchObject({ count: 5, unchanged: false });
    expect(removed.counts).toEqual({ done: 5, untagged: 5, missing: 0 });
    expect((await run.store.countItems()).map(({ status, count }) => [status, count])).toEqual([['untagged', 5]]);
    expect((await tag({ add: named('seen') })).output).toMatchObject({ count: 5, unchanged: false });
    const journal = (await world.control.journal()).rows.filter(
      ({ operation, subject }) => operation === 'maps.tags.update' && subject.endsWith(`/${named('seen')}`),
    );
    expect(journal.map(({ act, changed }) => [act, changed])).toEqual([
      ['add', 6],
      ['remove', 5],
      ['add', 5],
    ]);
  });

  test('what an earlier run did is not sent again, unless it is asked for', async () => {
    const ids = idsOf(10, 14);
    await (await tagger(ids)).tag({ add: named('kept') });
    const { tag } = await tagger(ids);
    let again: unknown;
    expect(await sent(async () => (again = await tag({ add: named('kept') })))).toBe(0);
    expect(again).toMatchObject({ output: { count: 4, unchanged: true }, counts: { done: 4 } });
    expect((again as { counts: object }).counts).not.toHaveProperty('tagged');
    expect(await sent(() => tag({ add: named('kept'), again: true }))).toBe(1);
  });

  test('what several runs have done at the same time is known of each', async () => {
    const lists = Array.from({ length: 8 }, (_, at) => idsOf(at, at + 2));
    const each = async () => {
      const steps = await Promise.all(lists.map(tagger));
      return Promise.all(steps.map(({ tag }) => tag({ add: named('together') })));
    };
    await each();
    expect(await sent(each)).toBe(0);
  });

  test('a tag that was taken from some of the points, or perhaps was, is added again', async () => {
    const ids = idsOf(50, 56);
    const add = async () => (await (await tagger(ids)).tag({ add: named('partly') })).output;
    await add();
    await (await tagger(ids.slice(0, 2))).tag({ remove: named('partly') });
    await (await tagger(ids.slice(4))).tag({ add: named('partly') });
    expect(await sent(add)).toBe(1);
    await world.control.fault('maps.tags.update', 1, { status: 400 });
    await expect((await tagger(ids.slice(2))).tag({ remove: named('partly') })).rejects.toThrow('400');
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
    const endAdding = await open({ add: named('both') });
    const endRemoving = await open({ remove: named('both') });
    await endAdding();
    await endRemoving();
    for (const input of [{ remove: named('both') }, { add: named('both') }])
      expect(await sent(async () => (await tagger(ids)).tag(input)), JSON.stringify(input)).toBe(1);
    // Alone they are known again.
    expect(await sent(async () => (await tagger(ids)).tag({ add: named('both') }))).toBe(0);
  });

  test('other points, another tag or another map of points are another job', async () => {
    await (await tagger(idsOf(20, 24))).tag({ add: named('one') });
    expect(await sent(async () => (await tagger(idsOf(21, 25))).tag({ add: named('one') }))).toBe(1);
    expect(await sent(async () => (await tagger(idsOf(20, 24))).tag({ add: named('two') }))).toBe(1);
  });
});

test('ids that the map does not have are counted apart from the others, with the reason', async () => {
  const { run, tag } = await tagger([...idsOf(30, 33), 'ghost', ...idsOf(33, 36)]);
  expect((await tag({ add: 'found' })).output).toMatchObject({ count: 6, missing: 1 });
  expect(await run.store.readItems({ status: 'missing' })).toMatchObject([
    { item: 'ghost', reason: expect.stringContaining('no row with this id') },
  ]);
});

/** Which points have a tag, as the service has it: numbers of rows. */
async function having(tag: string): Promise<number[]> {
  const { tags } = (await world.api.get(`/pages/maps/${map}`)).body as { tags: { id: string; name: string }[] };
  const found = tags.find(({ name }) => name === tag);
  if (!found) return [];
  const { bytes } = await world.api.get(`/pages/maps/${map}/tagged?tag=${found.id}`);
  return [...new Uint32Array(bytes.slice().buffer)];
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

test('what a step did is taken back, but where the tag was before; a second time nothing is', async () => {
  await (await tagger(idsOf(0, 4))).tag({ add: 'taken' });
  const { output } = await (await tagger(idsOf(2, 8))).tag({ add: 'taken' });
  expect(output).toMatchObject({ count: 6, changed: 4 });
  const restore = async () => (await world.newRun().step('points.restore', { record: output.record })).output;
  expect(await restore()).toEqual({ tag: 'taken', count: 4, kept: 2, missing: 0 });
  expect(await having('taken')).toEqual(numbers(0, 4));
  expect(await sent(async () => expect(await restore()).toMatchObject({ count: 0 }))).toBe(0);
  // What was taken back is done again, and not known to be there.
  expect((await (await tagger(idsOf(2, 8))).tag({ add: 'taken' })).output).toMatchObject({ unchanged: false, changed: 4 });
  expect(await having('taken')).toEqual(numbers(0, 8));
});

test('points that a later run has tagged too keep the tag until that one is taken back, also where it sent nothing', async () => {
  const tag = async (from: number, to: number) => (await (await tagger(idsOf(from, to))).tag({ add: 'shared' })).output;
  const restore = async (record: string) => (await world.newRun().step('points.restore', { record })).output;
  const first = await tag(10, 16);
  const second = await tag(14, 18);
  const third = await tag(10, 16);
  expect([second.changed, third.unchanged, third.changed]).toEqual([2, true, 0]);
  const fourth = await tag(10, 16);
  expect([fourth.unchanged, fourth.changed]).toEqual([true, 0]);
  expect(await restore(third.record)).toMatchObject({ count: 0, kept: 6 });
  expect(await restore(first.record)).toMatchObject({ count: 0, kept: 6 });
  expect(await restore(fourth.record)).toMatchObject({ count: 4, kept: 2 });
  expect(await having('shared')).toEqual(numbers(14, 18));
});

test('a removal is taken back where the tag was, and nowhere else', async () => {
  await (await tagger(idsOf(20, 23))).tag({ add: 'gone' });
  const { output } = await (await tagger(idsOf(20, 26))).tag({ remove: 'gone' });
  expect(output).toMatchObject({ count: 6, changed: 3 });
  expect(await having('gone')).toEqual([]);
  expect((await world.newRun().step('points.restore', { record: output.record })).output).toMatchObject({ count: 3, kept: 3 });
  expect(await having('gone')).toEqual(numbers(20, 23));
});

test('what another run tags while a step is taken back keeps the tag', async () => {
  const { output } = await (await tagger(idsOf(30, 34))).tag({ add: 'meanwhile' });
  const run = world.newRun();
  const args = run.argsOf('points.restore', { record: output.record });
  const { state } = await run.attempt('points.restore', 'prepare', args);
  await (await tagger(idsOf(32, 36))).tag({ add: 'meanwhile' });
  const counts = await run.attempt('points.restore', 'main', { ...args, state, chunk: 0 });
  expect(await run.attempt('points.restore', 'finish', { ...args, state, counts })).toMatchObject({ count: 2, kept: 2 });
  expect(await having('meanwhile')).toEqual(numbers(32, 36));
});

test.each([
  ['the same', { again: true }, 6],
  ['some of the', {}, 5],
])('what another run has begun to tag before an undo, and tags while it is under way, keeps the tag: %s points', async (_, more, count) => {
  const name = `begun ${count}`;
  const { output } = await (await tagger(idsOf(0, 6))).tag({ add: name });
  const run = world.newRun();
  const points = await run.store.writeIds('points', [idsOf(0, count)]);
  const args = run.argsOf('points.tag', { map, points, add: name, ...more });
  const { state } = await run.attempt('points.tag', 'prepare', args);
  const undo = world.newRun();
  const undoArgs = undo.argsOf('points.restore', { record: output.record });
  const { state: undoing } = await undo.attempt('points.restore', 'prepare', undoArgs);
  const tagged = await run.attempt('points.tag', 'main', { ...args, state, chunk: 0 });
  const undone = await undo.attempt('points.restore', 'main', { ...undoArgs, state: undoing, chunk: 0 });
  const taken = { count: 6 - count, kept: count };
  expect(await undo.attempt('points.restore', 'finish', { ...undoArgs, state: undoing, counts: undone })).toMatchObject(taken);
  expect(await run.attempt('points.tag', 'finish', { ...args, state, counts: tagged })).toMatchObject({ count, changed: count });
  expect(await having(name)).toEqual(numbers(0, count));
});

test('what another run tags while an undo is sending the same points keeps the tag: it is sent behind that', async () => {
  const ids = idsOf(0, 6);
  const { output } = await (await tagger(ids)).tag({ add: 'crossed' });
  const run = world.newRun();
  const points = await run.store.writeIds('points', [ids]);
  const args = run.argsOf('points.tag', { map, points, add: 'crossed', again: true });
  const { state } = await run.attempt('points.tag', 'prepare', args);
  const undo = world.newRun();
  const undoArgs = undo.argsOf('points.restore', { record: output.record });
  const { state: undoing } = await undo.attempt('points.restore', 'prepare', undoArgs);
  const { id } = await world.control.fault('maps.tags.update', 1, { hold: 'before' });
  const undone = undo.attempt('points.restore', 'main', { ...undoArgs, state: undoing, chunk: 0 });
  expect(await world.control.held(id)).toBe(true);
  const tagged = run.attempt('points.tag', 'main', { ...args, state, chunk: 0 });
  // Other tags wait for nothing: meanwhile the chunk would have been sent too.
  expect((await (await tagger(ids)).tag({ add: 'uncrossed' })).output).toMatchObject({ count: 6 });
  await world.control.release(id);
  expect(await undone).toMatchObject({ untagged: 6 });
  expect(await tagged).toMatchObject({ tagged: 6 });
  expect(await having('crossed')).toEqual(numbers(0, 6));
});

test.each(['begins', 'ends'])(
  'a step that finds its points tagged sends them all the same where an undo %s while it looks',
  async (how) => {
    const ids = idsOf(0, 6);
    const name = `undo ${how}`;
    const { output } = await (await tagger(ids)).tag({ add: name });
    const { tag } = await tagger(ids);
    const { id } = await world.control.fault('maps.tiles.manifest', 1, { hold: 'before' });
    const tagging = tag({ add: name });
    expect(await world.control.held(id)).toBe(true);
    const undo = world.newRun();
    const undoArgs = undo.argsOf('points.restore', { record: output.record });
    const { state } = await undo.attempt('points.restore', 'prepare', undoArgs);
    const end = async (): Promise<{ count: number }> => {
      const counts = await undo.attempt('points.restore', 'main', { ...undoArgs, state, chunk: 0 });
      return undo.attempt('points.restore', 'finish', { ...undoArgs, state, counts });
    };
    if (how === 'ends') expect(await end()).toMatchObject({ count: 6 });
    await world.control.release(id);
    expect((await tagging).output).toMatchObject({ count: 6, unchanged: false });
    if (how === 'begins') expect(await end()).toMatchObject({ count: 0, kept: 6 });
    expect(await having(name)).toEqual(numbers(0, 6));
  },
);

test('what is being taken back is not known to be there: whoever tags it meanwhile sends it again', async () => {
  const ids = idsOf(20, 26);
  const { output } = await (await tagger(ids)).tag({ add: 'half taken' });
  const run = world.newRun();
  const args = run.argsOf('points.restore', { record: output.record });
  const { state } = await run.attempt('points.restore', 'prepare', args);
  await run.attempt('points.restore', 'main', { ...args, state: { ...state, perChunk: 2 }, chunk: 0 });
  expect(await having('half taken')).toEqual(numbers(22, 26));
  expect((await (await tagger(ids)).tag({ add: 'half taken' })).output).toMatchObject({ unchanged: false });
  expect(await having('half taken')).toEqual(numbers(20, 26));
});

test('of a step that failed what it had sent is taken back; a run that goes on with it takes its points over', async () => {
  const run = world.newRun();
  const points = await run.store.writeIds('points', [idsOf(0, 6)]);
  const args = run.argsOf('points.tag', { map, points, add: 'halfway' });
  const { state } = await run.attempt('points.tag', 'prepare', args);
  await run.attempt('points.tag', 'main', { ...args, state: { ...state, perChunk: 2 }, chunk: 1 });
  const restore = (record: string) => world.newRun().step('points.restore', { record });
  const next = world.newRun();
  const continued = { ...args, input: { map, points, add: 'halfway' } };
  const again = await next.attempt('points.tag', 'prepare', continued, 1, undefined, { former: { runs: [{ run: run.id, store: '' }] } });
  const counts = await next.attempt('points.tag', 'main', { ...continued, state: again.state, chunk: 0 });
  const output = await next.attempt('points.tag', 'finish', { ...continued, state: again.state, counts });
  expect(output).toMatchObject({ count: 6, changed: 6 });
  await expect(restore(`${run.id}/points-tag`)).rejects.toThrow(`run ${next.id} went on with`);
  expect((await restore(output.record)).output).toMatchObject({ count: 6 });
  expect(await having('halfway')).toEqual([]);
  expect((await restore(`${run.id}/points-tag`)).output).toMatchObject({ count: 0 });

  const { state: anew } = await run.attempt('points.tag', 'prepare', args);
  await run.attempt('points.tag', 'main', { ...args, state: { ...anew, perChunk: 2 }, chunk: 1 });
  expect((await restore(`${run.id}/points-tag`)).output).toMatchObject({ count: 2, kept: 0 });
});

test('a dry run counts, and sends nothing', async () => {
  await (await tagger(idsOf(40, 42))).tag({ add: 'dry' });
  const { run, tag } = await tagger([...idsOf(40, 45), 'ghost']);
  let dry: any;
  expect(await sent(async () => (dry = await tag({ add: 'dry', dryRun: true })))).toBe(0);
  expect(dry.output).toMatchObject({ count: 5, missing: 1, changed: 3 });
  expect((await run.store.readItems({})).map(({ item, status }) => [item, status])).toEqual([['ghost', 'missing']]);
  expect(await having('dry')).toEqual(numbers(40, 42));
  expect((await world.newRun().step('points.restore', { record: dry.output.record })).output).toMatchObject({ count: 0 });
  expect((await tag({ add: 'dry' })).output).toMatchObject({ count: 5, changed: 3, unchanged: false });
});

test('a removal takes a tag that was set elsewhere from its points, says how many, and gives it back when it is taken back', async () => {
  await byHand('add', 'vip', ['row-2', 'row-6', 'row-3']);
  const { tag } = await tagger(['row-2', 'row-6', 'row-7', 'ghost']);
  expect((await tag({ remove: 'vip', dryRun: true })).output).toMatchObject({ count: 3, missing: 1, changed: 2 });
  const { output } = await tag({ remove: 'vip' });
  expect(output).toMatchObject({ count: 3, missing: 1, changed: 2, unchanged: false });
  expect(await having('vip')).toEqual([3]);
  expect((await world.newRun().step('points.restore', { record: output.record })).output).toMatchObject({ count: 2, kept: 1 });
  expect(await having('vip')).toEqual([2, 3, 6]);
});

test('a removal of a tag that the map does not know counts as its dry run does: ids that are nowhere are missing', async () => {
  const { run, tag } = await tagger(['row-2', 'row-6', 'ghost']);
  const counts = { count: 2, missing: 1, changed: 0 };
  expect((await tag({ remove: 'never set', dryRun: true })).output).toMatchObject(counts);
  expect((await tag({ remove: 'never set' })).output).toMatchObject(counts);
  expect((await run.store.readItems({ status: 'missing' })).map(({ item }) => item)).toContain('ghost');
});

describe('where the service goes through points of the map only, and the connection says so', () => {
  let named: StepWorld;
  beforeAll(async () => {
    named = await createStepWorld([], { readings: { 'tag-scope': 'map' } });
    await named.control.assume({ 'tag-scope': 'map' });
  });
  afterAll(() => named[Symbol.asyncDispose]());

  /** A run whose points are two of a map, two rows that were added since, and one that is nowhere. */
  async function late() {
    const own = await createMap(named, 20);
    expect((await addRows(named.api, own.project_id, 2, { from: 20 })).status).toBe(200);
    const run = named.newRun();
    const points = await run.store.writeIds('points', [['row-18', 'row-20', 'ghost', 'row-19', 'row-21']]);
    return { run, tag: (input: object) => run.step('points.tag', { map: own.map, points, ...input }) };
  }

  test('rows that were added since it was made are missing, and are not taken back', async () => {
    const { run, tag } = await late();
    const added = await tag({ add: 'late' });
    expect(added.output).toMatchObject({ count: 2, missing: 3, changed: 2 });
    expect(added.counts).toEqual({ done: 5, tagged: 2, missing: 3 });
    const reasons = (await run.store.readItems({ status: 'missing' })).map(({ item, reason }) => [item, reason]);
    expect(Object.fromEntries(reasons)).toEqual({
      ghost: 'the dataset has no row with this id',
      'row-20': 'the map has no point with this id',
      'row-21': 'the map has no point with this id',
    });
    const { record } = added.output as { record: string };
    expect((await named.newRun().step('points.restore', { record })).output).toMatchObject({ count: 2, missing: 0 });
  });

  test.each(['refused', 'accepted'] as const)('a dry run counts so too, also where an unknown tag is %s', async (unknown) => {
    await named.control.assume({ 'tag-scope': 'map', 'unknown-tag': unknown });
    const { tag } = await late();
    for (const act of [{ add: 'late' }, { remove: 'never' }]) {
      const dry = (await tag({ ...act, dryRun: true })).output as { count: number; missing: number };
      expect(dry).toMatchObject({ count: 2, missing: 3 });
      expect((await tag(act)).output).toMatchObject({ count: dry.count, missing: dry.missing });
    }
  });

  test('a selection that may be cut does not make points missing', async () => {
    await named.control.assume({ 'tag-scope': 'map', 'tagged-count': 'changed', 'selection-size': 'capped' });
    const own = await createMap(named, 40);
    const run = named.newRun();
    const points = await run.store.writeIds('points', [idsOf(0, 40)]);
    const tag = (input: object) => run.step('points.tag', { map: own.map, points, ...input });
    await tag({ add: 'cut' });
    await expect(tag({ add: 'cut', again: true })).rejects.toThrow("'selection-size'");
  });
});

test('what had a tag before is not missing where the service counts what it changed, whatever the map has', async () => {
  await world.control.assume({ 'tagged-count': 'changed', 'selection-size': 'capped' });
  const own = await createMap(world, 30);
  expect((await addRows(world.api, own.project_id, 1, { from: 30 })).status).toBe(200);
  const run = world.newRun();
  const points = await run.store.writeIds('points', [idsOf(0, 31)]);
  const tag = (input: object) => run.step('points.tag', { map: own.map, points, ...input });
  expect((await tag({ add: 'both' })).output).toMatchObject({ count: 31, missing: 0 });
  const again = (await tag({ add: 'both', again: true })).output as { record: string };
  expect(again).toMatchObject({ count: 31, missing: 0 });
  await world.control.assume();
});

test('a dry run counts as the run will where a point that a run has tagged is gone', async () => {
  const own = await createMap(world);
  const tag = async (ids: string[], input: object) => {
    const run = world.newRun();
    const points = await run.store.writeIds('points', [ids]);
    return (await run.step('points.tag', { map: own.map, points, ...input })).output;
  };
  await tag(idsOf(1, 4), { add: 'old' });
  expect((await world.api.post('/v1/project/data/delete', { project_id: own.project_id, datum_ids: ['row-3'] })).status).toBe(200);
  await world.newRun().step('index.update', { dataset: own.project_id });
  const added = { count: 1, missing: 1, changed: 1 };
  expect(await tag(['row-3', 'row-5'], { add: 'old', dryRun: true })).toMatchObject(added);
  const removed = { count: 2, missing: 1, changed: 2 };
  expect(await tag(idsOf(1, 4), { remove: 'old', dryRun: true })).toMatchObject(removed);
  expect(await tag(['row-3'], { remove: 'old', dryRun: true })).toMatchObject({ count: 0, missing: 1, changed: 0 });
  expect(await tag(['row-3', 'row-5'], { add: 'old' })).toMatchObject(added);
  expect(await tag(idsOf(1, 4), { remove: 'old' })).toMatchObject(removed);
});

test('an addition that is taken back leaves the tag where it was set elsewhere before', async () => {
  await byHand('add', 'dear', ['row-1', 'row-9']);
  const { tag } = await tagger(['row-1', 'row-2', 'ghost']);
  expect((await tag({ add: 'dear', dryRun: true })).output).toMatchObject({ count: 2, missing: 1, changed: 1 });
  const { output } = await tag({ add: 'dear' });
  expect(output).toMatchObject({ count: 2, changed: 1 });
  expect((await world.newRun().step('points.restore', { record: output.record })).output).toMatchObject({ count: 1, kept: 1 });
  expect(await having('dear')).toEqual([1, 9]);
});

test('what others have changed since a run is what the next one finds: it sends again, and is taken back as far as it changed it', async () => {
  const ids = idsOf(0, 4);
  const first = (await (await tagger(ids)).tag({ add: 'ours' })).output;
  await byHand('remove', 'ours', ['row-1']);
  const second = (await (await tagger(ids)).tag({ add: 'ours' })).output;
  expect(second).toMatchObject({ unchanged: false, count: 4, changed: 1 });
  expect(await having('ours')).toEqual(numbers(0, 4));
  expect((await (await tagger(ids)).tag({ add: 'ours' })).output).toMatchObject({ unchanged: true, changed: 0 });
  const restore = async (record: string) => (await world.newRun().step('points.restore', { record })).output;
  // The third has found all of them tagged, and holds them until its run is taken back.
  expect(await restore(second.record)).toMatchObject({ count: 0, kept: 4 });
  expect(await restore(first.record)).toMatchObject({ count: 0, kept: 4 });
});

test('a tag that somebody has taken from all of its points is missed, though no tile has it any more', async () => {
  const ids = idsOf(0, 4);
  await (await tagger(ids)).tag({ add: 'missed' });
  await byHand('remove', 'missed', ids);
  expect((await (await tagger(ids)).tag({ add: 'missed' })).output).toMatchObject({ unchanged: false, changed: 4 });
  expect(await having('missed')).toEqual(numbers(0, 4));
});

test('a removal that an earlier run has done is sent again where others have tagged its points since', async () => {
  const ids = idsOf(0, 4);
  await (await tagger(ids)).tag({ add: 'again' });
  await (await tagger(ids)).tag({ remove: 'again' });
  expect((await (await tagger(ids)).tag({ remove: 'again' })).output).toMatchObject({ unchanged: true, changed: 0 });
  await byHand('add', 'again', ['row-3']);
  const { output } = await (await tagger(ids)).tag({ remove: 'again' });
  expect(output).toMatchObject({ unchanged: false, changed: 1 });
  expect(await having('again')).toEqual([]);
  expect((await world.newRun().step('points.restore', { record: output.record })).output).toMatchObject({ count: 1 });
  expect(await having('again')).toEqual([3]);
});

test('a tag that was deleted elsewhere is at no point, whatever the record has', async () => {
  const ids = idsOf(0, 3);
  await (await tagger(ids)).tag({ add: 'deleted' });
  const tags = '/v1/project/projection/tags';
  const all = (await world.api.get(`${tags}/get/all?project_id=${project}&projection_id=${map}`)).body as {
    tag_id: string;
    tag_name: string;
  }[];
  const { tag_id } = all.find(({ tag_name }) => tag_name === 'deleted')!;
  await world.api.post(`${tags}/delete`, { project_id: project, tag_id });
  expect((await (await tagger(ids)).tag({ add: 'deleted', dryRun: true })).output).toMatchObject({ changed: 3 });
  expect((await (await tagger(ids)).tag({ add: 'deleted' })).output).toMatchObject({ unchanged: false, changed: 3 });
});

test('which points have the tag is read once for a step, tile by tile, and only where the map has the tag', async () => {
  const readsOf = async (act: () => Promise<unknown>) =>
    (await world.callsOf(act)).calls.filter((each) => /^maps\.(mapTags|tiles)\./.test(each));
  const { tag } = await tagger(idsOf(0, 3));
  expect(await readsOf(() => tag({ add: 'fresh' }))).toEqual(['maps.mapTags.list']);
  await byHand('add', 'fresh', ['row-9']);
  const again = await tagger(idsOf(3, 6));
  expect(await readsOf(() => again.tag({ add: 'fresh' }))).toEqual([
    'maps.mapTags.list',
    'maps.tiles.manifest',
    'maps.tiles.get',
    'maps.tiles.get',
  ]);
  await byHand('add', 'bare', ['row-9']);
  await byHand('remove', 'bare', ['row-9']);
  const bare = await tagger(idsOf(3, 6));
  // No point has it, and no run has changed it: whose the points are need not be known.
  expect(await readsOf(() => bare.tag({ add: 'bare' }))).toEqual(['maps.mapTags.list', 'maps.tiles.manifest', 'maps.tiles.get']);
});

test('an attempt that was given away while it read the map keeps nothing of what it has read: points may have been sent since', async () => {
  let standing: 'held' | 'given away' = 'held';
  let asked = 0;
  const confirm = async () => {
    asked = performance.now();
    return standing;
  };
  await using own = await createStepWorld([], {}, confirm);
  const made = await createMap(own);
  const body = { projection_id: made.map, tag_name: 'late', ids: ['row-5'], operation: 'add', id_field: 'id' };
  expect((await own.api.post('/v1/query/update/tag/ids', body)).status).toBe(200);
  const run = own.newRun();
  const points = await run.store.writeIds('points', [['row-5', 'row-6']]);
  const { id } = await own.control.fault('maps.tiles.get', 1, { hold: 'before' });
  const args = run.argsOf('points.tag', { map: made.map, points, add: 'late' });
  const refused = run.attempt('points.tag', 'prepare', args).then(() => '', String);
  expect(await own.control.held(id)).toBe(true);
  standing = 'given away';
  // The last word of the server counts for so long.
  await expect.poll(() => performance.now() - asked).toBeGreaterThan(freshMs);
  await own.control.release(id);
  expect(await refused).toContain('given it away');
  expect((await readdir(own.dir, { recursive: true })).filter((name) => /\.(seen|elsewhere)/.test(name))).toEqual([]);
});

test('of a map that was updated while it was read nothing is taken: it is read again', async () => {
  const other = await createMap(world);
  const asked = { projection_id: other.map, tag_name: 'read', ids: ['row-5'], operation: 'add', id_field: 'id' };
  await world.api.post('/v1/query/update/tag/ids', asked);
  const run = world.newRun();
  const points = await run.store.writeIds('points', [['row-5', 'row-6']]);
  const { id } = await world.control.fault('maps.tiles.get', 2, { hold: 'before' });
  const { value, calls } = await world.callsOf(async () => {
    const tagged = run.step('points.tag', { map: other.map, points, add: 'read' });
    expect(await world.control.held(id)).toBe(true);
    // The first point goes, and every other one stands a row higher in its tile.
    await world.api.post('/v1/project/data/delete', { project_id: other.project_id, datum_ids: ['row-0'] });
    await world.api.post('/v1/project/update_indices', { project_id: other.project_id });
    await built(world.api, other.job);
    await world.control.release(id);
    return tagged;
  });
  expect(calls.filter((each) => each === 'maps.mapTags.list')).toHaveLength(2);
  expect(value.output).toMatchObject({ count: 2, changed: 1 });
  expect((await world.newRun().step('points.restore', { record: value.output.record })).output).toMatchObject({ count: 1, kept: 1 });
});

test('a tile that cannot be read for a moment is read again; one that is refused leaves the step without', async () => {
  await byHand('add', 'tried', ['row-5']);
  await world.control.fault('maps.tiles.get', 1, { status: 503 });
  expect((await (await tagger(idsOf(5, 7))).tag({ add: 'tried' })).output).toMatchObject({ changed: 1 });
  await world.control.fault('maps.tiles.get', 1, { status: 403 });
  expect((await (await tagger(idsOf(5, 8))).tag({ add: 'tried' })).output).toMatchObject({ count: 3, changed: null });
});

test('where the service does not say which points have a tag, the step tags all the same, and how many it changed is not known', async () => {
  await byHand('add', 'blind', ['row-0']);
  await world.control.assume({ 'tag-points': 'none' });
  try {
    const { run, tag } = await tagger(idsOf(0, 3));
    expect((await tag({ add: 'blind', dryRun: true })).output).toMatchObject({ count: 3, changed: null });
    const { output } = await tag({ add: 'blind' });
    expect(output).toMatchObject({ count: 3, changed: null, unchanged: false });
    expect((await run.store.events()).map(({ cause }) => cause)).toContainEqual(
      expect.stringMatching(/does not say which points of the map have the tag 'blind' .*how many change is not known/),
    );
    expect((await (await tagger(idsOf(0, 3))).tag({ add: 'blind' })).output).toMatchObject({ changed: null, unchanged: true });
  } finally {
    await world.control.assume();
  }
});

test('a record that is not there, or of another connection, is refused', async () => {
  const restore = (record: string) => world.newRun().step('points.restore', { record });
  await expect(restore('nobody/tag')).rejects.toThrow('this run store has none of nobody/tag');
  await expect(restore('../tag')).rejects.toThrow('RUN/STEP');
});
