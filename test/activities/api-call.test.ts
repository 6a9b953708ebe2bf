import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createMap } from '../service/world.ts';
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

test('an answer of bytes is a file of the run, which the result names', async () => {
  await using world = await createStepWorld();
  const { map } = await createMap(world, 30);
  const input = { map_id: map, qids: ['0-0', '0-1'] };
  const { result } = (await world.newRun().step('api.call', { operation: 'maps.data.datums', input })).output;
  const bytes = await readFile(result.file);
  expect(result).toEqual({
    file: expect.stringMatching(/answers\/.*\.arrow$/),
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
});
