import { expect, test } from 'vitest';
import { addRows, createApi, createMap, createProject, createWorld, type World } from './world.ts';

const read = async (world: World, what: string): Promise<any> => {
  const { status, body } = await world.api.get(`/v1/organization/${world.organization.slug}/${what}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

const embed = (world: World, texts: readonly string[]) => world.api.post('/v1/embedding/text', { texts, model: 'svc-embed-text-v1' });

test('texts that were embedded are counted, by model, in all three forms', async () => {
  await using world = await createWorld();
  const first = await embed(world, ['one two', 'three, four']);
  const second = await embed(world, ['five']);
  const tokens = first.body.usage.total_tokens + second.body.usage.total_tokens;
  expect(tokens).toBe(6);
  expect(await read(world, 'usage2')).toMatchObject({ plan_type: 'free', text_tokens: { used: tokens }, image_embeddings: { used: 0 } });
  expect((await read(world, 'usage')).embedding_models).toEqual([{ model: 'svc-embed-text-v1', tokens, num_embeddings: 3 }]);
  expect(await read(world, 'usage/text_tokens/within_limit')).toMatchObject({
    organization_to_charge_id: world.organization.organization_id,
    within_limit: true,
    total_with_update: tokens,
  });
  expect(await read(world, 'usage/image_embeddings/within_limit')).toMatchObject({ total_with_update: 0 });
});

test('a map and a search by text count for their organization', async () => {
  await using world = await createWorld();
  const { map, project_id } = await createMap(world, 25);
  const built = (await read(world, 'usage')).embedding_models[0];
  expect(built).toMatchObject({ num_embeddings: 25 });
  await world.api.post('/v1/query/topk', { projection_id: map, k: 1, fields: ['id'], query: 'bread and butter' });
  const [searched] = (await read(world, 'usage')).embedding_models;
  expect([searched.num_embeddings - built.num_embeddings, searched.tokens - built.tokens]).toEqual([1, 3]);
  // A reader without a key has no organization: it is a use of the one that shows the map.
  await world.api.post(`/v1/project/update?project_id=${project_id}`, { id: project_id, is_public: true });
  const nobody = createApi(world.service.fetch, 'http://127.0.0.1', null);
  expect((await nobody.post('/v1/query/topk', { projection_id: map, k: 1, fields: ['id', 'id'], query: 'bread' })).body.data).toEqual([
    { id: expect.any(String), _similarity: expect.any(Number) },
  ]);
  expect((await read(world, 'usage')).embedding_models[0].num_embeddings - searched.num_embeddings).toBe(1);
});

test('rows are counted as public or private, seats and bytes as they are now', async () => {
  await using world = await createWorld();
  const before = await read(world, 'usage2');
  const shown = await createProject(world, 'shown');
  const hidden = await createProject(world, 'hidden');
  await addRows(world.api, shown.project_id, 30);
  await addRows(world.api, hidden.project_id, 25);
  await world.api.post(`/v1/project/update?project_id=${shown.project_id}`, { id: shown.project_id, is_public: true });
  await world.api.post('/__control/users', { name: 'ann', email: 'ann@example.com' });
  expect(await read(world, 'usage')).toMatchObject({ public_datapoints: 30, private_datapoints: 25, organization_seats: 2 });
  const after = await read(world, 'usage2');
  expect(after.seats).toEqual({ used: before.seats.used + 1 });
  expect(after.storage.used).toBeGreaterThan(before.storage.used);
});

test('a billing period is a month: an earlier one keeps what was used in it, and a day within it is none', async () => {
  await using world = await createWorld();
  await embed(world, ['one two']);
  const { billing_period: period } = await read(world, 'usage2');
  expect(period).toMatch(/^\d{4}-\d\d-01$/);
  await world.api.post('/__control/clock', { offsetSeconds: 40 * 86_400 });
  expect((await read(world, 'usage2')).text_tokens.used).toBe(0);
  expect(await read(world, `usage2?billing_period=${period}`)).toMatchObject({ billing_period: period, text_tokens: { used: 2 } });
  expect((await read(world, 'usage')).embedding_models).toEqual([]);
  const of = async (date: string): Promise<number> =>
    (await world.api.get(`/v1/organization/${world.organization.slug}/usage2?billing_period=${date}`)).status;
  expect([await of(`${period.slice(0, 8)}02`), await of('2999-01-01'), await of('yesterday')]).toEqual([422, 422, 422]);
});

test('usage is shown to members alone, and of a known kind', async () => {
  await using world = await createWorld();
  const { id: user } = (await world.api.post('/__control/users', { name: 'bea', email: 'bea@example.com' })).body;
  const { key } = (await world.api.post('/__control/keys', { service: 'maps', name: 'bea', user })).body;
  const bea = createApi(world.service.fetch, 'http://127.0.0.1', key);
  const { organization_id } = (await bea.post('/v1/organization/create', { nickname: 'Apiary' })).body;
  for (const what of ['usage', 'usage2', 'usage/text_tokens/within_limit'])
    expect([what, (await world.api.get(`/v1/organization/${organization_id}/${what}`)).status]).toEqual([what, 403]);
  expect((await bea.get(`/v1/organization/${organization_id}/usage/seats/within_limit`)).status).toBe(422);
  expect((await bea.get('/v1/organization/nowhere/usage')).status).toBe(404);
});
