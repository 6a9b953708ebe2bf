import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { pngOf } from '../support/image-bombs.ts';
import { picture } from '../support/pictures.ts';
import { useWorld } from './support.ts';

const world = useWorld();
const file = await readFile(new URL('../../pipelines/images.yaml', import.meta.url), 'utf8');

/** Of each operation that writes, how often it was sent. */
const counted = (effects: readonly { operation: string }[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(effects, ({ operation }) => operation)].map(([operation, of]) => [operation, of.length]));

test('a folder of images is a map: what is broken is an item with its verdict, what has not changed is not sent, what has changed is replaced, what is gone leaves the map', async () => {
  const dataset = newSlug('pictures');
  const folder = `pictures-${dataset}`;
  let path = '';
  for (let at = 0; at < 24; at++) path = await world.write(join(folder, `p${at}.png`), await picture(at));
  await world.write(join(folder, 'cut.png'), (await picture(1)).subarray(0, 700));
  await world.write(join(folder, 'bomb.png'), pngOf(60_000, 60_000));
  const params = { dataset, images: join(dirname(path), '*') };

  const { value: first, effects } = await world.effectsOf(() => world.run(file, params, ['--accept', 'rows']));
  expect(first).toMatchObject({ code: 0, result: { state: 'done' } });
  expect(first.result.outputs).toMatchObject({ rows: 24, added: 24 });
  expect(counted(effects)).toMatchObject({ 'maps.blobs.add': 24, 'maps.indices.create': 1 });
  const items = await world.portolan(['items', first.result.run, '--step', 'pictures', '--json']);
  expect(items.out).toMatch(/bomb\.png[^\n]*60000 × 60000 pixels/);
  expect(items.out).toMatch(/cut\.png[^\n]*cannot be decoded/);

  const { map } = first.result.outputs as { map: string };
  const query = JSON.stringify({ projection_id: map, k: 1, fields: ['name', '_blob_hash'], query: 'blue' });
  const { out } = await world.portolan(['call', 'maps.query.topk', '--json', query, '-c', 'local']);
  expect(JSON.parse(out).data[0]).toMatchObject({
    name: expect.stringMatching(/^p\d+\.png$/),
    _blob_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });

  const again = await world.effectsOf(() => world.run(file, params, ['--accept', 'rows']));
  expect(again.value).toMatchObject({ code: 0, result: { state: 'done', outputs: { rows: 24, added: 0, map } } });
  expect(again.effects).toEqual([]);

  await world.write(join(folder, 'p7.png'), await picture(107));
  const changed = await world.effectsOf(() => world.run(file, params, ['--accept', 'rows']));
  expect(changed.value).toMatchObject({ code: 0, result: { state: 'done', outputs: { rows: 24, replaced: 1, map } } });
  // And the updates that commit the deletion and show the new image.
  expect(counted(changed.effects)).toMatchObject({ 'maps.blobs.add': 1, 'maps.data.delete': 1, 'maps.data.addArrow': 1 });

  // One file is gone, one is broken by now, one has another name.
  for (const name of ['p9.png', 'cut.png']) await rm(join(dirname(path), name));
  await world.write(join(folder, 'p3.png'), (await picture(3)).subarray(0, 700));
  await rename(join(dirname(path), 'p5.png'), join(dirname(path), 'five.png'));
  const gone = await world.effectsOf(() => world.run(file, params, ['--accept', 'rows']));
  expect(gone.value).toMatchObject({ code: 0, result: { state: 'done', outputs: { rows: 22, added: 1, replaced: 0, deleted: 3, map } } });
  // The image of another name is there already.
  expect(counted(gone.effects)).not.toHaveProperty('maps.blobs.add');
  const all = JSON.stringify({ projection_id: map, k: 100, fields: ['name'], query: 'blue' });
  const shown = JSON.parse((await world.portolan(['call', 'maps.query.topk', '--json', all, '-c', 'local'])).out).data as {
    name: string;
  }[];
  const names = Array.from({ length: 24 }, (_, at) => `p${at}.png`).filter((name) => !['p3.png', 'p5.png', 'p9.png'].includes(name));
  expect(shown.map(({ name }) => name).toSorted()).toEqual([...names, 'five.png'].toSorted());
});
