import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';

const world = useWorld();
const api = new URL('../../index.ts', import.meta.url).href;

beforeAll(async () => {
  await world.write(
    'steps/crashes.mts',
    `import { appendFileSync } from 'node:fs';
import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'acme.crashes',
  input: z.strictObject({}),
  effect: 'idempotent',
  atOnce: 1,
  items: () => ['a', 'b', 'c'],
  async each(item) {
    if (item !== 'b') return;
    appendFileSync(${JSON.stringify(`${world.dir}/crashes`)}, 'x');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  },
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
});

test('a step that ends the process of its worker fails with that after three times, and the worker goes on', async () => {
  const run = await world.start(
    'name: crashes\nsteps:\n  all: { use: acme.crashes }\n  dataset: { use: dataset.ensure, with: { slug: crashes }, needs: [] }\n',
  );
  for (let end = 0; end < 3; end++) {
    expect(await world.worker.exited()).toMatchObject({ signal: 'SIGKILL' });
    await world.worker.start(0);
  }
  const { view } = await world.ended(run);
  expect(view).toMatchObject({
    state: 'failed',
    error: {
      type: 'ProcessEnded',
      message:
        "the worker's process ended 3 times in a row while each of acme.crashes ran, at last with no other own step beside it; begun and not ended: b",
      details: { at: [expect.stringMatching(/\/steps\/crashes\.mts:9:\d+$/)] },
    },
    steps: [
      { id: 'all', status: 'failed' },
      { id: 'dataset', status: 'done' },
    ],
  });
  expect(await readFile(join(world.dir, 'crashes'), 'utf8')).toBe('xxx');
  expect((await world.portolan(['why', run])).out).toContain('correct the code that is named');
});
