import { beforeAll, expect, test } from 'vitest';
import { giveSays, saidIn } from './support-says.ts';
import { useWorld } from './support.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

const said = async (name: string): Promise<string> => (await saidIn(world, name)).trim();
const says = (word: string, more = ''): string => `{ use: acme.says, with: { word: ${word}, file: "\${{ params.file }}"${more} } }`;

/** Three steps, of which the last one fails; `two` is taken back at once, and `one` by a person. */
const failing = (fails = true): string => `name: forced
params: { file: { type: string } }
steps:
  one: { use: acme.says, with: { word: one, file: "\${{ params.file }}" }, undo: { use: gate.approve, with: { show: say not one } } }
  two: { use: acme.says, needs: [one], with: { word: two, file: "\${{ params.file }}" }, undo: ${says('-two')} }
  three: { use: acme.says, needs: [two], with: { word: three, file: "\${{ params.file }}", fails: ${fails} } }
`;

const terminate = async (run: string): Promise<unknown> => {
  const handle = world.client.workflow.getHandle(run);
  await handle.terminate('by hand');
  return handle.result().catch(() => undefined);
};

test('an undo that was terminated is shown as ended, and a second one does what is left', async () => {
  const run = await world.start(failing(), { file: 'ended.txt' });
  await world.ended(run);
  expect((await world.portolan(['undo', run, '--json'])).code).toBe(3);
  expect(await said('ended.txt')).toBe('one two -two');
  await terminate(`${run}.undo`);

  expect((await world.portolan(['runs'])).out).toContain(`undo cancelled: ${run}.undo`);
  expect(JSON.parse((await world.portolan(['status', run, '--json'])).out)).toMatchObject({
    undone: { run: `${run}.undo`, state: 'cancelled' },
  });
  expect((await world.portolan(['why', run])).out).toContain(`undo cancelled: ${run}.undo; what is left: portolan undo ${run}`);
  expect((await world.portolan(['status', `${run}.undo`])).out).toContain('cancelled');

  const second = await world.portolan(['undo', run, '--json']);
  expect([second.code, second.err]).toEqual([3, '']);
  expect((await world.locate(`${run}.undo-2`)).record).toMatchObject({ former: [{ run: `${run}.undo` }] });
  await world.portolan(['approve', `${run}.undo-2`, 'undo_one']);
  expect((await world.ended(`${run}.undo-2`)).view.steps.map(({ id, status }) => [id, status])).toEqual([['undo_one', 'done']]);
  expect(await said('ended.txt')).toBe('one two -two');
  expect((await world.portolan(['undo', run])).out).toContain(`run ${run} is undone: ${run}.undo-2`);
});

test('a rerun takes over what an undo that was terminated had not begun to take back', async () => {
  const path = await world.write('pipelines/forced.yaml', failing());
  const run = await world.startFile(path, { file: 'over.txt' });
  await world.ended(run);
  await world.portolan(['undo', run, '--json']);
  await terminate(`${run}.undo`);
  await world.write('pipelines/forced.yaml', failing(false));
  const rerun = await world.portolan(['rerun', run, '--json']);
  expect([rerun.code, rerun.err]).toEqual([0, '']);
  expect(JSON.parse(rerun.out.split('\n')[0]!)).toMatchObject({
    type: 'reuse',
    steps: [
      { step: 'one', reused: true },
      { step: 'two', reused: false, why: `undone by ${run}.undo` },
      { step: 'three', reused: false },
    ],
  });
  expect(await said('over.txt')).toBe('one two -two two three');
});

test('an undo that was terminated before a worker took it up stands in the way of none', async () => {
  const run = await world.start(failing(), { file: 'never.txt' });
  await world.ended(run);
  await world.worker.stop();
  expect((await world.portolan(['undo', run, '--detach'])).code).toBe(0);
  const beside = await world.portolan(['undo', run, '--detach']);
  expect([beside.code, beside.err]).toEqual([1, expect.stringContaining(`is being undone by ${run}.undo (it has not begun)`)]);
  await terminate(`${run}.undo`);
  await world.worker.start(0);
  expect((await world.portolan(['undo', run, '--json'])).code).toBe(3);
  expect(await said('never.txt')).toBe('one two -two');
  expect((await world.portolan(['runs'])).out).toContain(`being undone by ${run}.undo-2`);
});
