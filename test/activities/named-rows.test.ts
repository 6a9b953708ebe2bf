import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld([], { lagMs: 300 });
});
afterAll(() => world[Symbol.asyncDispose]());

test('a row whose id is a word of one that is not there is not sent again, and is deleted', async () => {
  const { project_id: dataset } = await createProject(world, 'films', { unique_id_field: 'title' });
  const append = async (titles: string[]) => {
    const source = await world.table(titles.map((title) => ({ title })));
    return (await world.newRun().step('dataset.append', { dataset, source, id: { column: 'title' } })).output;
  };
  expect(await append(['Alien', 'Heat'])).toMatchObject({ added: 2 });
  expect(await append(['Alien', 'Heat', 'Alien Resurrection'])).toMatchObject({ added: 1, present: 2 });

  await world.control.assume({ 'unknown-deletion': 'refused' });
  const run = world.newRun();
  const points = await run.store.writeIds('old', [['Alien', 'Alien 3']]);
  await run.step('data.delete', { dataset, points }, { approved: true });
  const rows = (await world.api.post('/v1/project/data/get', { project_id: dataset, datum_ids: ['Heat'] })).body.datums;
  expect(rows).toHaveLength(1);
  const { rows: journal } = await world.control.journal(dataset);
  expect(journal.filter(({ operation }) => operation === 'maps.data.delete')).toHaveLength(1);
  await world.control.assume();
});
