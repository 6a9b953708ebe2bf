import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const text = `name: settings
params: { source: { type: path } }
steps:
  dataset: { use: dataset.ensure, with: { slug: ${newSlug('settings')}, idField: key } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key }, since: { column: updated } }, undo: { use: api.call, with: { operation: maps.projects.list, input: {} } } }
`;

test('of all settings of a mark the newest says from where the next run reads', async () => {
  const keys = [{ key: 'a', updated: '2024-05-01T10:00:00Z' }];
  const run = async () => (await world.run(text, { source: await world.write('settings.json', keys) })).result;
  await run();
  keys.push({ key: 'b', updated: '2024-05-01T11:00:00Z' });
  const second = await run();
  expect((await world.portolan(['undo', second.run])).code).toBe(0);
  const { out } = await world.portolan(['watermark', 'show', 'settings', '--history', '--json']);
  const settings = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { run: string; readsAgain?: { undone: string[] } });
  expect(settings).toHaveLength(2);
  expect(settings.flatMap(({ run: of, readsAgain }) => (readsAgain ? [[of, readsAgain.undone]] : []))).toEqual([
    [second.run, [second.run]],
  ]);
});
