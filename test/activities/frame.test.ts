import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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

const careless = `import { defineStep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
export default defineStep({
  name: 'acme.careless',
  input: z.strictObject({}),
  output: z.object({}),
  effect: 'idempotent',
  async run(_, { fetch }) {
    await fetch('http://127.0.0.1:9/', { method: 'POST' }).catch(() => {
      throw new Error('it did not work');
    });
    return {};
  },
});
`;

test('so does one whose own code makes something else of it: another attempt may follow', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'portolan-careless-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'careless.mts');
  writeFileSync(file, careless);
  await using world = await createStepWorld([file], {}, async () => 'given away');
  const run = world.newRun();
  await expect(run.attempt('acme.careless', 'main', run.argsOf('acme.careless', {}))).rejects.toMatchObject({
    type: 'GivenAway',
    nonRetryable: false,
  });
});
