import { beforeEach, expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const ingest = (onChange: 'update' | 'rebuild' = 'update'): string => `
name: words
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, onChange: replace }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: text, onChange: ${onChange} } }
  old: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { range: n, from: 30 } } }
  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.old.points }}", add: late } }
outputs: { dataset: "\${{ steps.dataset.id }}", map: "\${{ steps.map }}", rows: "\${{ steps.rows }}", tagged: "\${{ steps.tag.count }}" }
`;

type Record = { key: string; n: number; text: string };
let dataset: string;
let records: Record[];
beforeEach(() => {
  dataset = newSlug('words');
  records = Array.from({ length: 40 }, (_, at) => ({ key: `k${at}`, n: at, text: `word number ${at}` }));
});
const send = async (text = ingest(), more: readonly string[] = ['--accept', 'rows']) => {
  const source = await world.write(`${dataset}.json`, records);
  const { value, effects } = await world.effectsOf(() => world.run(text, { source, dataset }, more));
  expect(value.result).toMatchObject({ state: 'done' });
  return { ...value.result.outputs, run: value.result.run, effects: effects.filter(({ changed }) => changed > 0) } as {
    [name: string]: any;
    effects: typeof effects;
  };
};
const rowOf = async (project_id: string, id: string) =>
  (await world.api.data.get({ project_id, datum_ids: [id] })).datums[0] as { text: string };

test('a changed record is deleted, its deletion is committed, and only then it is added; the map stays the same', async () => {
  const first = await send();
  expect(first['map']).toMatchObject({ built: true, updated: false, points: 40 });

  records[7]!.text = 'quite another word';
  const second = await send();
  expect(
    second.effects.map(({ operation, changed }) => ({ operation, ...(operation === 'maps.indices.update' ? {} : { changed }) })),
  ).toEqual([
    { operation: 'maps.data.delete', changed: 1 },
    { operation: 'maps.indices.update' },
    { operation: 'maps.data.addArrow', changed: 1 },
    { operation: 'maps.indices.update' },
  ]);
  expect(second['rows']).toMatchObject({ rows: 40, added: 0, present: 39, changed: 0, replaced: 1 });
  expect(second['map']).toMatchObject({ id: first['map'].id, built: false, updated: true, points: 40 });
  expect(await rowOf(second['dataset'], 'k7')).toMatchObject({ text: 'quite another word' });
  expect(await world.store(second['run']).readItems({ status: 'replaced' })).toMatchObject([{ item: 'k7' }]);

  // And once more: nothing is left to send.
  expect((await send()).effects).toEqual([]);
});

// The last record stays where it is in the list of points: by their ids alone the job is the same.
// Where the map does not say which points have a tag, the run store alone knows that an update lies between.
test.each([
  [35, 'tiles'],
  [39, 'none'],
] as const)('a replaced record comes back without its tag, so it is tagged again: record %i, tags read by %s', async (at, reading) => {
  await world.control.assume({ 'tag-points': reading });
  try {
    await send();
    records[at]!.text = 'quite another word';
    const { effects } = await send();
    expect(effects.map(({ operation, changed }) => ({ operation, ...(operation === 'maps.indices.update' ? {} : { changed }) }))).toEqual([
      { operation: 'maps.data.delete', changed: 1 },
      { operation: 'maps.indices.update' },
      { operation: 'maps.data.addArrow', changed: 1 },
      { operation: 'maps.indices.update' },
      { operation: 'maps.tags.update', changed: 1 },
    ]);
  } finally {
    await world.control.assume();
  }
});

test('lost answers of all three calls: each had one effect', async () => {
  await send();
  records[7]!.text = 'quite another word';
  for (const operation of ['maps.data.delete', 'maps.data.addArrow', 'maps.indices.update'])
    await world.control.fault(operation, 1, { lose: 'answer' });
  const { effects, ...outputs } = await send();
  expect(effects.map(({ operation }) => operation)).toEqual([
    'maps.data.delete',
    'maps.indices.update',
    'maps.data.addArrow',
    'maps.indices.update',
  ]);
  expect(await rowOf(outputs['dataset'], 'k7')).toMatchObject({ text: 'quite another word' });
  expect((await world.control.journal()).summary).toMatchObject({ repeated: 0 });
});

test('onChange: rebuild makes a new map of changed data', async () => {
  const first = await send(ingest('rebuild'));
  records[7]!.text = 'quite another word';
  const second = await send(ingest('rebuild'));
  expect(second['map']).toMatchObject({ built: true, updated: false });
  expect(second['map'].id).not.toBe(first['map'].id);
});

test('rows are deleted after an approval, and the map shows it after index.update', async () => {
  const first = await send();
  const id = await world.start(`
name: prune
steps:
  old: { use: points.select, with: { map: ${first['map'].id}, where: { range: n, to: 9 } } }
  ok: { use: gate.approve, with: { show: "\${{ steps.old.count }}" } }
  delete: { use: data.delete, needs: [ok], with: { dataset: ${first['dataset']}, points: "\${{ steps.old.points }}" } }
  update: { use: index.update, with: { dataset: ${first['dataset']} } }
  left: { use: points.select, needs: [update], with: { map: ${first['map'].id}, where: { range: n, from: 0 } } }
outputs: { deleted: "\${{ steps.delete.count }}", update: "\${{ steps.update }}", left: "\${{ steps.left.count }}" }
`);
  await world.until(id, ({ view }) => view.state === 'approval');
  expect((await world.portolan(['approve', id, 'ok'])).code).toBe(0);
  const { view } = await world.ended(id);
  expect(view).toMatchObject({
    state: 'done',
    outputs: { deleted: 10, update: { updated: true, rows: 30, maps: [first['map'].id] }, left: 30 },
  });
  expect(await world.store(id).countItems()).toEqual([{ step: 'delete', status: 'deleted', count: 10 }]);
});

test('nearest neighbours: of each point, in order, and every one once as a list', async () => {
  const first = await send();
  const { result } = await world.run(`
name: near
connection: local
steps:
  some: { use: points.select, with: { map: ${first['map'].id}, where: { range: n, to: 4 } } }
  near: { use: points.neighbors, with: { map: ${first['map'].id}, points: "\${{ steps.some.points }}", k: 3 } }
  tag: { use: points.tag, with: { map: ${first['map'].id}, points: "\${{ steps.near.points }}", add: near } }
outputs: { near: "\${{ steps.near }}", tagged: "\${{ steps.tag.count }}" }
`);
  expect(result.error).toBeUndefined();
  const { near, tagged } = result.outputs;
  expect(near.count).toBe(tagged);
  const { neighbors } = await world.api.neighbors.byId({
    atlas_index_id: first['map'].index,
    datum_ids: ['k0', 'k1', 'k2', 'k3', 'k4'],
    k: 4,
  });
  const expected = new Set(neighbors.flatMap((list, at) => list.filter((id) => id !== `k${at}`).slice(0, 3)));
  const listed = await world.store(result.run).readIds(near.points.uri, 0, 100);
  expect(new Set(listed)).toEqual(expected);
});

test('rows are not replaced unless somebody approved it: the run says which, and has deleted nothing', async () => {
  await send(ingest(), []);
  records[3]!.text = 'quite another word';
  const source = await world.write(`${dataset}.json`, records);
  const { value, effects } = await world.effectsOf(() => world.run(ingest(), { source, dataset }));
  expect(value.result).toMatchObject({
    state: 'failed',
    error: { step: 'rows', type: 'NeedsApproval', message: expect.stringContaining('to replace 1 changed row (k3') },
  });
  expect(effects.filter(({ operation }) => operation === 'maps.data.delete')).toEqual([]);
  expect(await world.portolan(['why', value.result.run])).toMatchObject({
    out: expect.stringContaining(`then: portolan rerun ${value.result.run} --accept rows --from rows --file `),
  });

  const { code, out } = await world.portolan([
    'plan',
    await world.pipeline(ingest()),
    '-c',
    'local',
    '-p',
    `source=${source}`,
    '-p',
    `dataset=${dataset}`,
  ]);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('rows: replace ≤ 40 changed rows: each is deleted and added anew (not approved'),
  ]);
  const again = await world.portolan(['rerun', value.result.run, '--accept', 'rows', '--json']);
  expect(again.code).toBe(0);
});

test('a gate approves a replacement as well as whoever starts the run', async () => {
  await send(ingest(), []);
  records[3]!.text = 'quite another word';
  const source = await world.write(`${dataset}.json`, records);
  const gated = ingest().replace('  rows:', '  ask: { use: gate.approve, with: { approves: [rows] } }\n  rows:');
  const { result } = await world.run(gated, { source, dataset });
  expect(result.state).toBe('approval');
  await world.portolan(['approve', result.run, 'ask', '--note', 'yes']);
  expect((await world.ended(result.run)).view).toMatchObject({ state: 'done', outputs: { rows: { replaced: 1 } } });
});
