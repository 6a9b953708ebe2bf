import { beforeAll, expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { taggedRows } from '../support/tagged-rows.ts';
import { useWorld } from './support.ts';

const world = useWorld();

let map: string;
beforeAll(async () => {
  const source = await world.write(
    'films.json',
    Array.from({ length: 25 }, (_, at) => ({
      id: `f${at}`,
      plot: `${['cooking food', 'a storm at sea', 'the last train'][at % 3]} ${at}`,
    })),
  );
  const { result } = await world.run(
    `name: films
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id } } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: plot } }
outputs: { map: "\${{ steps.map.id }}" }
`,
    { source, dataset: newSlug('terminated') },
  );
  map = result.outputs['map'] as string;
});

const tagging = async (name: string, ids: string): Promise<string> => {
  const { result } = await world.run(`name: ${name}
steps:
  some: { use: points.list, with: { map: ${map}, ids: [${ids}] } }
  tag:
    use: points.tag
    with: { map: ${map}, points: "\${{ steps.some.points }}", add: near }
    undo: { use: points.restore, with: { record: "\${{ steps.tag.record }}" } }
`);
  expect(result.state).toBe('done');
  return result.run;
};

test('points that a run has tagged keep the tag where its undo was terminated and another run is taken back', async () => {
  const first = await tagging('one', 'f1, f2');
  const second = await tagging('two', 'f2, f3');
  expect((await taggedRows(world.url, map))['near']).toEqual([1, 2, 3]);

  // It has begun to take the tag back, and comes no further.
  await world.control.fault('maps.tags.update', 1, { status: 503 });
  await world.control.faultIfCalled('maps.tags.update', 2, { status: 503 }, 100);
  expect((await world.portolan(['undo', first, '--detach'])).code).toBe(0);
  await world.until(`${first}.undo`, ({ pending }) => pending.some(({ lastFailure }) => lastFailure));
  await world.client.workflow.getHandle(`${first}.undo`).terminate('by hand');
  await world.control.clear();

  expect((await world.portolan(['undo', second])).code).toBe(0);
  expect((await taggedRows(world.url, map))['near']).toEqual([1, 2]);
});
