import { expect, test } from 'vitest';
import { createStepWorld } from './step-world.ts';

test('fields that the text does not name are sent as extra: the service says what it makes of them', async () => {
  await using world = await createStepWorld();
  const call = (input: object, more: object = {}) =>
    world.newRun().step('api.call', { operation: 'maps.embedding.text', input: { texts: ['a'], ...input }, ...more });
  await expect(call({ tone: 'dry' })).rejects.toMatchObject({ type: 'ContractError', message: expect.stringContaining('"tone"') });
  await expect(call({}, { extra: { tone: 'dry' } })).rejects.toMatchObject({
    type: 'ApiError',
    message: expect.stringMatching(/422: .*"tone"/),
  });
  expect((await call({}, { extra: { dimensionality: 2 } })).output.result.embeddings[0]).toHaveLength(2);
});
