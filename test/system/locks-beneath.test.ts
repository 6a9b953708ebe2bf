import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** Holds a key until somebody approves. */
const locked = (more = ''): string => `
name: locked
params: { key: { type: slug } }
concurrency: ${more === '' ? '"${{ params.key }}"' : `{ key: "\${{ params.key }}"${more} }`}
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
`;
/** Two runs of a pipeline at the same time: as steps of the file itself the second would follow the first. */
const twice = (key: string, use: string): string => `
name: above
concurrency: ${key}
steps:
  turns:
    forEach: { items: [1, 2], as: n, parallel: 2 }
    steps: { one: { use: ${use} } }
`;
const approve = (run: string) => world.portolan(['approve', run, 'ask', '--note', 'go on']);
const queued = (run: string) => world.until(run, ({ view }) => view.state === 'queued');
const asks = (run: string) => world.until(run, ({ view }) => view.state === 'approval');

/** Of two runs, the one that waits for its key and the one that has it. */
async function sides(one: string, two: string): Promise<{ has: string; waits: string }> {
  const waits = await Promise.race([one, two].map(async (run) => (await queued(run), run)));
  const has = waits === one ? two : one;
  await asks(has);
  return { has, waits };
}

test.each(['', ', when: reject', ', when: cancelOlder'])(
  'runs of steps whose key the run above holds hold it apart beneath that run, and wait for each other (%s)',
  async (when) => {
    const key = newSlug('beneath');
    await world.write('pipelines/locked.yaml', locked(when));
    const run = await world.start(twice(key, `./locked.yaml, with: { key: ${key} }`));
    const { has, waits } = await sides(`${run}.turns-0-one`, `${run}.turns-1-one`);
    const { view } = await world.until(waits, ({ view: { queued } }) => queued?.holder?.run === has);
    expect(view.queued).toMatchObject({ key: `${key} beneath ${run}` });
    expect((await world.portolan(['why', waits])).out).toContain(`run ${has} holds ${key} beneath ${run} since `);
    await approve(has);
    await asks(waits);
    await approve(waits);
    expect((await world.ended(run)).view.state).toBe('done');
  },
);

test('so do runs beneath another one of those that holds nothing, and one beneath the run that has the key does not wait for it', async () => {
  const key = newSlug('deep');
  await world.write('pipelines/locked.yaml', locked());
  await world.write(
    'pipelines/between.yaml',
    `name: between\nconcurrency: null\nsteps:\n  deep: { use: ./locked.yaml, with: { key: ${key} } }\n`,
  );
  await world.write(
    'pipelines/nested.yaml',
    `name: nested\nconcurrency: ${key}\nsteps:\n  deep: { use: ./locked.yaml, with: { key: ${key} } }\n`,
  );
  const run = await world.start(twice(key, './between.yaml'));
  const { has, waits } = await sides(`${run}.turns-0-one.deep`, `${run}.turns-1-one.deep`);
  await approve(has);
  await asks(waits);
  await approve(waits);
  expect((await world.ended(run)).view.state).toBe('done');

  const other = await world.start(`name: above\nconcurrency: ${key}\nsteps:\n  one: { use: ./nested.yaml }\n`);
  await asks(`${other}.one.deep`);
  await approve(`${other}.one.deep`);
  expect((await world.ended(other)).view.state).toBe('done');
});
