import { beforeAll, expect, test } from 'vitest';
import { giveSays, saidIn } from './support-says.ts';
import { useWorld } from './support.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

const says = (word: string, more = ''): string => `{ use: acme.says, with: { word: ${word}, file: "\${{ params.file }}"${more} } }`;
const file = (name: string, fails: boolean, undoTwo = `, undo: ${says('-two')}`): string => `name: ${name}
params: { file: { type: string } }
steps:
  one: { use: acme.says, with: { word: one, file: "\${{ params.file }}" }, undo: ${says('-one')} }
  two: { use: acme.says, needs: [one], with: { word: two, file: "\${{ params.file }}", fails: ${fails} }${undoTwo} }
`;

/** A run that failed in its second step, and a rerun of it. */
async function rerunOf(name: string, fails: boolean, undoTwo?: string): Promise<{ first: string; second: string }> {
  const path = await world.write(`pipelines/${name}.yaml`, file(name, true, undoTwo));
  const first = await world.startFile(path, { file: `${name}.txt` });
  await world.ended(first);
  await world.write(`pipelines/${name}.yaml`, file(name, fails, undoTwo));
  const { out } = await world.portolan(['rerun', first, '--json']);
  return { first, second: (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run };
}

test('a run on whose results a later one stands is taken back after that, or where somebody accepts it', async () => {
  const { first, second } = await rerunOf('base', false);
  const dry = await world.portolan(['undo', first, '--dry-run']);
  expect([dry.code, dry.out]).toEqual([
    0,
    expect.stringMatching(new RegExp(`what stands on it\n +${second} +done, took over one: .*--accept ${second}`)),
  ]);
  const refused = await world.portolan(['undo', first]);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`run ${second} (done) took over one of run ${first}`)]);
  expect(refused.err).toContain(
    `portolan undo ${second}, then again; where nothing of it can be undone, or it may stay as it is: --accept ${second}`,
  );
  expect((await saidIn(world, 'base.txt')).trim()).toBe('one two');

  expect((await world.portolan(['undo', second, '--json'])).code).toBe(0);
  const after = await world.portolan(['undo', first, '--json']);
  expect([after.code, after.err]).toEqual([0, '']);
  expect((await saidIn(world, 'base.txt')).trim()).toBe('one two -two -one');
});

test('what a later run took over is taken back beneath it where somebody accepts that', async () => {
  const { first, second } = await rerunOf('accepted', false);
  expect((await world.portolan(['undo', first, '--accept', second, '--json'])).code).toBe(0);
  expect((await saidIn(world, 'accepted.txt')).trim()).toBe('one two -one');
});

test('of a rerun of which nothing can be taken back it is said how what it took over is', async () => {
  const { first, second } = await rerunOf('bare', false, '');
  const { code, err } = await world.portolan(['undo', second]);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`what run ${first} did is taken back by: portolan undo ${first} --accept ${second}`),
  ]);
  expect((await world.portolan(['undo', first, '--accept', second, '--json'])).code).toBe(0);
  expect((await saidIn(world, 'bare.txt')).trim()).toBe('one two -one');
});

test('a rerun that failed and has done nothing itself stands on nothing', async () => {
  const { first } = await rerunOf('again', true);
  const undone = await world.portolan(['undo', first, '--json']);
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect((await saidIn(world, 'again.txt')).trim()).toBe('one -one');
});
