import { expect, test } from 'vitest';
import { temporal } from '../../cli/checks/services.ts';
import { loadConfig } from '../../config/load.ts';
import { useWorld } from './support.ts';

const world = useWorld({ workers: 2 });

const aboutWorkers = async () => (await temporal.run({ cwd: world.dir, config: await loadConfig(world.dir) })).at(-1)!;

test('doctor counts the workers that poll; of one that has ended the server speaks on, and doctor does not', async () => {
  // A worker is ready a moment before its first poll is there.
  await expect.poll(aboutWorkers).toMatchObject({ ok: true, detail: expect.stringMatching(/^2 workers on/) });
  await world.worker.stop(1);
  expect(await aboutWorkers()).toMatchObject({ ok: true, detail: expect.stringMatching(/^1 worker on/) });
  await world.worker.stop(0);
  expect(await aboutWorkers()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^no worker on/),
    remedy: 'start one: portolan worker, or portolan dev',
  });
});
