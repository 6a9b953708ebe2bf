import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, moviesOf, newSlug, type World } from '../support/world.ts';
import { writeConnections } from '../support/connections.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({});
  // A chunk of points is several calls.
  await writeConnections(world, { small: { batch: { tags: 100 } } });
  await world.worker.stop();
  await world.worker.start(0);
});
afterAll(() => world[Symbol.asyncDispose]());

test('a run that is cancelled while a chunk is sent again says of what was sent before that nobody knows', async () => {
  const source = await world.write(
    'rows.json',
    moviesOf(300).map((_, n) => ({ key: `row-${n}`, n })),
  );
  const file = await world.pipeline(`name: tags
params: { dataset: { type: slug }, source: { type: path } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, columns: { n: n } } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}" } }
  all: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { range: n, from: 0 } } }
  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.all.points }}", add: seen } }
`);
  const first = await world.control.fault('maps.tags.update', 3, { hold: 'after' });
  const { out } = await world.portolan([
    'run',
    file,
    '-c',
    'small',
    '--detach',
    '--json',
    '-p',
    `dataset=${newSlug('tags')}`,
    '-p',
    `source=${source}`,
  ]);
  const { run } = JSON.parse(out) as { run: string };
  expect(await world.control.held(first.id)).toBe(true);
  await world.worker.kill();
  await world.control.release(first.id);

  const again = await world.control.fault('maps.tags.update', 1, { hold: 'before' });
  await world.worker.start(0);
  expect(await world.control.held(again.id)).toBe(true);
  await world.portolan(['cancel', run]);
  const { view } = await world.ended(run);
  await world.control.release(again.id);
  expect(view.state).toBe('cancelled');

  const items = await world.store(run).countItems();
  const counts = Object.fromEntries(items.flatMap(({ step, status, count }) => (step === 'tag' ? [[status, count]] : [])));
  expect(counts).toEqual({ unknown: 300 });
  expect(view.steps.find(({ id }) => id === 'tag')!.counts).toEqual({ done: 300, unknown: 300 });
});
