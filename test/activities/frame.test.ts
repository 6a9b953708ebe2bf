import { expect, test } from 'vitest';
import type { Standing } from '../../activities/frame/fence.ts';
import { createStepWorld } from './step-world.ts';

const ensure = { slug: 'given-away' };

test('an attempt that was given away reads, changes nothing at the service, and says why it ended', async () => {
  let standing: Standing = 'given away';
  await using world = await createStepWorld([], {}, async () => standing);
  const run = world.newRun();
  const changed = async (): Promise<string[]> => (await world.control.journal()).rows.map(({ operation }) => operation);
  const before = await changed();
  const attempt = (number: number) => run.attempt('dataset.ensure', 'main', run.argsOf('dataset.ensure', ensure), number);
  await expect(attempt(1)).rejects.toMatchObject({
    type: 'GivenAway',
    nonRetryable: false,
    message: expect.stringContaining('the server has given it away'),
  });
  expect(await changed()).toEqual(before);

  standing = 'held';
  await attempt(2);
  expect((await changed()).slice(before.length)).toEqual(['maps.projects.create']);
});
