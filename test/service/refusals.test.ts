import { expect, test } from 'vitest';
import { addRows, createMap, createProject, createWorld, indexOrder } from './world.ts';

test('a tile-row pair beyond 32 bits is unknown, not an error of the service', async () => {
  await using world = await createWorld();
  const { map } = await createMap(world);
  const asked = { qids: ['99999999999-0'], response_type: 'json' };
  expect(await world.api.post(`/v1/project/projection/${map}/datums`, asked)).toMatchObject({
    status: 404,
    body: { detail: 'unknown qids: 99999999999-0' },
  });
});

test.each([
  ['a model that is not there', { model: 'svc-embed-text-v9' }, 'model'],
  ['a model of images for a text', { model: 'svc-embed-vision-v1' }, 'indexed_field'],
  ['a field to colour by that is no column', { colorable_fields: ['colour'] }, 'colorable_fields'],
  [
    'an index to reuse that is not there',
    { reuse_atoms_and_embeddings_from: '00000000-0000-4000-8000-000000000000' },
    'reuse_atoms_and_embeddings_from',
  ],
  [
    'a topic field that is no column',
    { topic_model_hyperparameters: '{"community_description_target_field":"topic"}' },
    'topic_model_hyperparameters',
  ],
])('an index of %s is refused at once', async (_, more, field) => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 25);
  const { status, body } = await world.api.post('/v1/project/index/create', indexOrder(project_id, more));
  expect([status, body.detail[0].loc]).toEqual([422, ['body', field]]);
});

test('a number beyond float32 in the vector of a search is refused', async () => {
  await using world = await createWorld();
  const { map } = await createMap(world);
  const query = Array.from({ length: 768 }, () => 1e300);
  const { status, body } = await world.api.post('/v1/query/topk', { projection_id: map, k: 1, fields: ['id'], query });
  expect([status, body.detail[0].msg]).toEqual([422, 'a number beyond float32']);
});
