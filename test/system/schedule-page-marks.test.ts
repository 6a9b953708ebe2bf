import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

test('the page of schedules says from where the next run reads where a run was taken back', async () => {
  const source = await world.write('back.json', [{ key: 'a', updated: '2024-05-01T10:00:00Z' }]);
  const pipeline = await world.write(
    'pipelines/back.yaml',
    `name: back
params: { source: { type: path, default: ${source} } }
schedule: { cron: "0 0 1 1 *" }
steps:
  dataset: { use: dataset.ensure, with: { slug: ${newSlug('back')}, idField: key } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, since: { column: updated } }
    undo: { use: api.call, with: { operation: maps.projects.list, input: {} } }
`,
  );
  const applied = await world.portolan(['schedule', 'apply', pipeline, '-c', 'local', '--yes']);
  expect([applied.code, applied.err]).toEqual([0, '']);
  const page = async (): Promise<string> => {
    expect((await world.portolan(['schedule', 'report', 'back'])).code).toBe(0);
    return readFile(join(world.place.storeRoot, 'schedules.html'), 'utf8');
  };
  const { result } = await world.run(await readFile(pipeline, 'utf8'));
  expect(await page()).not.toContain('read next from');
  expect((await world.portolan(['undo', result.run])).code).toBe(0);
  expect(await page()).toContain(`<small>read next from the beginning: ${result.run} was taken back</small>`);
  expect((await world.portolan(['schedule', 'delete', 'back', '--yes'])).code).toBe(0);
});
