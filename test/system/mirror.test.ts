import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const pipeline = `name: mirrored
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: key } }
  rows:
    use: dataset.mirror
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, deletes: { max: 20% } }
outputs: { rows: "\${{ steps.rows }}", dataset: "\${{ steps.dataset.id }}" }
`;

const rowsOf = (count: number, from = 0) => Array.from({ length: count }, (_, at) => ({ key: `k${from + at}`, n: from + at }));

test('plan names the rows that a mirror deletes and writes them into a file; the run deletes them where that is accepted, and none beyond the cap', async () => {
  const dataset = newSlug('mirrored');
  const source = await world.write('mirrored.json', rowsOf(20));
  const file = await world.pipeline(pipeline);
  const plan = async (): Promise<string> =>
    (await world.portolan(['plan', file, '-c', 'local', '-p', `source=${source}`, '-p', `dataset=${dataset}`])).out.replaceAll(/\s+/g, ' ');
  expect(await plan()).toContain('nothing irreversible');
  const { result: first } = await world.run(pipeline, { source, dataset });
  expect(first.outputs['rows']).toMatchObject({ added: 20, deleted: 0 });

  await world.write('mirrored.json', [...rowsOf(17, 3), ...rowsOf(1, 90)]);
  expect(await plan()).toMatch(/delete 3 rows gone at the source: k0, k1, k2/);
  const list = await readFile(join(world.dir, '.portolan', 'plans', 'mirrored-rows-gone.jsonl'), 'utf8');
  expect(list).toBe('"k0"\n"k1"\n"k2"\n');
  const refused = await world.effectsOf(() => world.run(pipeline, { source, dataset }));
  expect(refused.value.result).toMatchObject({ state: 'failed', error: { type: 'NeedsApproval' } });
  expect(refused.effects).toEqual([]);
  const { result: done } = await world.run(pipeline, { source, dataset }, ['--accept', 'rows']);
  expect(done.outputs['rows']).toMatchObject({ added: 1, present: 17, deleted: 3 });
  expect((await world.api.projects.get({ project_id: done.outputs['dataset'] as string })).total_datums_in_project).toBe(18);
  expect(await world.store(done.run).readItems({ status: 'deleted' })).toHaveLength(3);

  await world.write('mirrored.json', rowsOf(10, 3));
  expect(await plan()).toMatch(/REFUSED: 8 rows of 18 rows are gone at the source, and at most 3 rows may be deleted/);
  const { value, effects } = await world.effectsOf(() => world.run(pipeline, { source, dataset }, ['--accept', 'rows']));
  expect(value.result).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('deletes: { max: 8 }') } });
  expect(effects).toEqual([]);
});
