import { beforeAll, expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { taggedRows } from '../support/tagged-rows.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const file = new URL('../../pipelines/tag.yaml', import.meta.url).pathname;

let map: string;
beforeAll(async () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({
    id: `f${at}`,
    year: 1950 + at,
    genre: at % 2 === 0 ? 'Drama' : 'Comedy',
    plot: `${['cooking food', 'a storm at sea', 'the last train'][at % 3]} number ${at}`,
  }));
  const source = await world.write('films.json', rows);
  const { result } = await world.run(
    `name: films
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id } } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: plot } }
outputs: { map: "\${{ steps.map.id }}" }
`,
    { source, dataset: newSlug('tagged') },
  );
  map = result.outputs['map'] as string;
  await world.write('ids.csv', 'id\nf1\nf2\nf3\nnobody\n');
});

const params = (more: Record<string, string> = {}): Record<string, string> => ({ map, ids: 'ids.csv', point: 'f0', ...more });

const asked = (more: Record<string, string>): string[] =>
  Object.entries(params(more)).flatMap(([name, value]) => ['-p', `${name}=${value}`]);

const run = async (more: Record<string, string> = {}) => {
  const { value, effects } = await world.effectsOf(() => world.portolan(['run', file, '--connection', 'local', '--json', ...asked(more)]));
  const result = JSON.parse(value.out.trim().split('\n').at(-1)!) as { run: string; state: string; outputs: Record<string, unknown> };
  expect([value.code, result.state], value.out + value.err).toEqual([0, 'done']);
  return { ...result, effects: effects.filter(({ changed }) => changed > 0) };
};

const tags = (): ReturnType<typeof taggedRows> => taggedRows(world.url, map);

test('points are tagged in five ways in one run, counted by a dry run, and the undo takes away what the run alone has added', async () => {
  const dry = await run({ dryRun: 'true' });
  expect(dry.effects).toEqual([]);
  expect(dry.outputs).toMatchObject({ old: 10, reviewed: 3, 'not on the map': 1, about: 5, alike: 3 });

  // One point has a tag before, by another run.
  const { result } = await world.run(
    `name: before\nsteps:\n  one: { use: points.list, with: { map: ${map}, ids: [f1] } }\n  tag: { use: points.tag, with: { map: ${map}, points: "\${{ steps.one.points }}", add: old } }\n`,
  );
  expect(result.state).toBe('done');
  const before = await tags();
  expect(before).toEqual({ old: [1] });

  const done = await run();
  expect(done.outputs).toMatchObject({ ...dry.outputs, changed: (dry.outputs['changed'] as number) - 1 });
  expect(await tags()).toMatchObject({ old: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19], reviewed: [1, 2, 3] });

  expect((await world.portolan(['undo', done.run])).code).toBe(0);
  expect(await tags()).toEqual(before);
  const { effects } = await world.effectsOf(async () => expect((await world.portolan(['undo', done.run])).out).toContain('is undone'));
  expect(effects).toEqual([]);

  // What was taken back is done again.
  expect((await run()).effects.length).toBeGreaterThan(0);
});

test('a tag step that failed is taken back by its name, as far as it came', async () => {
  await world.control.fault('maps.tags.update', 2, { status: 400 });
  const text = `name: failing
steps:
  all: { use: points.select, with: { map: ${map} } }
  tag:
    use: points.tag
    with: { map: ${map}, points: "\${{ steps.all.points }}", add: half }
    undo: { use: points.restore, with: { record: "\${{ run.id + '/tag' }}" } }
  other:
    use: points.tag
    needs: [tag]
    with: { map: ${map}, points: "\${{ steps.all.points }}", add: whole }
    undo: { use: points.restore, with: { record: "\${{ run.id + '/other' }}" } }
`;
  const before = await tags();
  const { result } = await world.run(text);
  expect([result.state, result.error?.step]).toEqual(['failed', 'other']);
  expect((await tags())['half']).toHaveLength(40);
  const { code, err } = await world.portolan(['undo', result.run, '--failed', 'other']);
  expect([code, err]).toEqual([0, '']);
  expect(await tags()).toEqual(before);
});

test('what a step of tag.yaml had tagged before it was cancelled is taken back by its name', async () => {
  const before = await tags();
  const answer = await world.control.fault('maps.tags.update', 1, { hold: 'after' });
  const cancelled = await world.startFile(file, params({ about: 'trains and storms' }));
  expect(await world.control.held(answer.id)).toBe(true);
  await world.until(cancelled, ({ view }) => view.steps.filter(({ status }) => status !== 'done').length === 1);
  await world.portolan(['cancel', cancelled]);
  const { view } = await world.ended(cancelled);
  await world.control.release(answer.id);
  expect(view.state).toBe('cancelled');
  expect(await tags()).not.toEqual(before);
  const { id } = view.steps.find(({ status }) => status === 'cancelled')!;
  const { code, err } = await world.portolan(['undo', cancelled, '--failed', id]);
  expect([code, err]).toEqual([0, '']);
  expect(await tags()).toEqual(before);
});

test('tags that were set by hand are counted by the run that removes them, and are there again after its undo', async () => {
  const byHand = { projection_id: map, tag_name: 'vip', ids: ['f2', 'f6', 'f3'], operation: 'add', id_field: 'id' };
  expect((await world.portolan(['call', 'maps.tags.update', '--connection', 'local', '--json', JSON.stringify(byHand)])).code).toBe(0);
  const text = (more = ''): string => `name: lose-vip
steps:
  some: { use: points.list, with: { map: ${map}, ids: [f2, f6, f8] } }
  tag:
    use: points.tag
    with: { map: ${map}, points: "\${{ steps.some.points }}", remove: vip${more} }
    undo: { use: points.restore, with: { record: "\${{ steps.tag.record }}" } }
outputs: { count: "\${{ steps.tag.count }}", changed: "\${{ steps.tag.changed }}" }
`;
  expect((await world.run(text(', dryRun: true'))).result.outputs).toEqual({ count: 3, changed: 2 });
  expect((await tags())['vip']).toEqual([2, 3, 6]);
  const { result } = await world.run(text());
  expect([result.outputs, (await tags())['vip']]).toEqual([{ count: 3, changed: 2 }, [3]]);
  expect((await world.portolan(['undo', result.run])).code).toBe(0);
  expect((await tags())['vip']).toEqual([2, 3, 6]);
});

const oneByOne = (name: string, items: string): string => `name: ${name}
steps:
  each:
    forEach: { items: [${items}], as: ids, parallel: 1 }
    steps:
      some: { use: points.list, with: { map: ${map}, ids: "\${{ ids.split(',') }}" } }
      tag: { use: points.tag, with: { map: ${map}, points: "\${{ steps.some.points }}", add: ${name} } }
    outputs: { record: "\${{ steps.tag.record }}" }
    undo:
      forEach: { items: "\${{ steps.each.rows }}", as: row }
      steps: { back: { use: points.restore, with: { record: "\${{ row.record }}" } } }
`;

test('a point that two turns have tagged loses the tag also where both are taken back side by side', async () => {
  const { result } = await world.run(oneByOne('shared', '"f1,f2", "f2,f3"'));
  expect((await tags())['shared']).toEqual([1, 2, 3]);
  const fault = await world.control.fault('maps.tags.update', 1, { hold: 'before' });
  const undone = world.portolan(['undo', result.run]);
  expect(await world.control.held(fault.id)).toBe(true);
  // The other one ends while the first waits.
  await world.until(`${result.run}.undo`, ({ view }) => view.steps[0]?.progress?.done === 1);
  await world.control.release(fault.id);
  expect((await undone).code).toBe(0);
  expect((await tags())['shared']).toBeUndefined();
});

test('a rerun goes on with the turn of the same item that failed, whatever its place, and its undo takes all of it back', async () => {
  await world.control.fault('maps.tags.update', 1, { reset: 'after' });
  await world.control.fault('maps.tags.update', 2, { status: 400 });
  const { result } = await world.run(oneByOne('moved', 'f1'));
  expect([result.state, (await tags())['moved']]).toEqual(['failed', [1]]);
  const other = await world.pipeline(oneByOne('moved', 'f7, f1'));
  const { out } = await world.portolan(['rerun', result.run, '--file', other, '--json']);
  const { run } = JSON.parse(out.trim().split('\n').at(-1)!) as { run: string };
  expect((await tags())['moved']).toEqual([1, 7]);
  expect((await world.portolan(['undo', run])).code).toBe(0);
  expect((await tags())['moved']).toBeUndefined();
});
