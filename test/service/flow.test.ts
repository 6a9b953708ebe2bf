import { expect, test } from 'vitest';
import { createMap, createWorld } from './world.ts';

const all = { method: 'composition', conjunctor: 'ALL' } as const;

test('a dataset is created, filled, mapped, searched, selected and tagged', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id, map, stage } = await createMap(world);
  expect(stage).toBe('Completed');

  const found = await api.post('/v1/query/topk', { projection_id: map, k: 5, fields: ['id', 'text'], query: 'bread' });
  expect(found.status).toBe(200);
  expect(found.body.data.map(({ text }: { text: string }) => text.split(' ')[0])).toEqual(['bread', 'bread', 'bread', 'bread', 'bread']);

  const chosen = await api.post('/v1/query', {
    projection_id: map,
    selection: { ...all, filters: [{ method: 'range', field: 'year', range: [1910, 1912] }] },
  });
  expect(chosen.body).toEqual(['row-10', 'row-11', 'row-12']);

  const tagged = await api.post('/v1/query/update/tag/ids', {
    projection_id: map,
    tag_name: 'old',
    ids: [...chosen.body, 'ghost'],
    operation: 'add',
    id_field: 'id',
  });
  expect(tagged.body).toMatchObject({ success: true, points_tagged: 3 });

  const project = (await api.get(`/v1/project/${project_id}`)).body;
  expect(project).toMatchObject({
    total_datums_in_project: 60,
    insert_update_delete_lock: false,
    maps: [{ projection_id: map, ready: true }],
  });
  expect((await api.get('/__control/journal')).body.summary).toEqual({ effects: 4, repeated: 0, harmless: 0 });
});
