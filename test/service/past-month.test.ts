import { expect, test } from 'vitest';
import { createWorld } from './world.ts';

test('the past month is counted from the same day of the month before, or from its last one where it is shorter', async () => {
  await using world = await createWorld();
  const usageAt = async (time: string): Promise<{ usage_since_date: string; embedding_models: { tokens: number }[] }> => {
    const offsetSeconds = (Date.parse(time) - Date.now()) / 1_000;
    expect((await world.api.post('/__control/clock', { offsetSeconds })).status).toBe(200);
    const { status, body } = await world.api.get(`/v1/organization/${world.organization.slug}/usage`);
    expect(status).toBe(200);
    return body;
  };
  const sinceAt = async (time: string): Promise<string> => (await usageAt(time)).usage_since_date;

  expect(await sinceAt('2031-03-28T12:00:00Z')).toBe('2031-02-28');
  for (const day of ['29', '30', '31']) expect(await sinceAt(`2031-03-${day}T12:00:00Z`)).toBe('2031-02-28');
  expect(await sinceAt('2032-03-31T12:00:00Z')).toBe('2032-02-29');
  expect(await sinceAt('2032-05-31T23:00:00Z')).toBe('2032-04-30');
  expect(await sinceAt('2032-01-31T01:00:00Z')).toBe('2031-12-31');

  await usageAt('2033-02-28T12:00:00Z');
  await world.api.post('/v1/embedding/text', { texts: ['two words'], model: 'svc-embed-text-v1' });
  expect((await usageAt('2033-03-31T12:00:00Z')).embedding_models).toMatchObject([{ tokens: 2 }]);
  expect((await usageAt('2033-04-01T12:00:00Z')).embedding_models).toEqual([]);
});
