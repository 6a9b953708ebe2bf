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
