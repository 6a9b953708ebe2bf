import { expect, test } from 'vitest';
import { createApi, createWorld, unlimited } from './world.ts';

const cent = 10_000_000;

test('an organization that has spent more than it has is given money back, and gives none', async () => {
  await using world = await createWorld();
  await unlimited(world);
  const api = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.instance);
  const project = async (name: string): Promise<string> => (await api.post('/api/v0/projects', { name })).body.data.id;
  const funded = (await api.post('/api/v0/budgets', { projectId: await project('funded'), amountCents: 100 })).body.data.id as string;
  const change = (amountCents: number) => api.post(`/api/v0/budgets/${funded}`, { amountCents });
  const left = async (): Promise<number> => (await api.get('/api/v0/budgets/organization')).body.data.funding.remainingCents;
  // A run is paid for whole: the last one may cost more than is left.
  await world.api.post('/__control/runs', { run: 'dear', nanoUsd: ((await left()) + 50) * cent });
  expect(await left()).toBe(-50);

  expect(await change(70)).toMatchObject({ status: 200 });
  expect(await left()).toBe(-20);
  expect(await change(71)).toMatchObject({ status: 402, body: { code: 'insufficient_funds' } });
  expect(await change(0)).toMatchObject({ status: 200 });
  expect(await left()).toBe(50);
  expect(await change(50)).toMatchObject({ status: 200 });
  expect(await change(51)).toMatchObject({ status: 402, body: { code: 'insufficient_funds' } });
});

test('its contract can be raised by less than it owes, and not lowered', async () => {
  await using world = await createWorld();
  await unlimited(world);
  const api = createApi(world.service.fetch, 'http://127.0.0.1', world.service.adminKeys.instance);
  const contract = async (body: object): Promise<number> => (await world.api.post('/__control/contract', body)).status;
  const funding = async () => (await api.get('/api/v0/budgets/organization')).body.data.funding;
  expect(await contract({ amountCents: 5 })).toBe(200);
  await world.api.post('/__control/runs', { run: 'dear', nanoUsd: 25 * cent });
  expect(await funding()).toMatchObject({ amountCents: 5, spentCents: 25, remainingCents: -20 });

  expect(await contract({ amountCents: 15 })).toBe(200);
  expect(await funding()).toMatchObject({ amountCents: 15, remainingCents: -10 });
  expect(await contract({ amountCents: 14 })).toBe(400);
  expect(await contract({ projectBudgets: false })).toBe(200);
  expect(await funding()).toMatchObject({ amountCents: 15, remainingCents: -10 });
});
