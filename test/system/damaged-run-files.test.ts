import { readFile, rm, writeFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { giveSays, saidIn } from './support-says.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

const pipeline = (file: string): string => `name: damaged
steps:
  say:
    use: acme.says
    with: { word: one, file: ${file} }
    undo: { use: acme.says, with: { word: "-one", file: ${file} } }
`;

/** A run that is done, and a file of its folder. */
async function runWith(name: string, said: string) {
  const { run } = (await world.run(pipeline(said))).result;
  const path = world.store(run).path(name);
  return { run, path, whole: await readFile(path, 'utf8') };
}

/** A file as a fault of the disk, or somebody, leaves it. */
const damagesOf = (whole: string): string[] => [whole.slice(0, whole.length / 2), '{}', 'null'];

test('a plan that is not what was written there is named with its file by whoever needs it, and a page is written without', async () => {
  const { run, path, whole } = await runWith('plan.json', 'plan.txt');
  for (const text of damagesOf(whole)) {
    await writeFile(path, text);
    await rm(world.store(run).path('forecast.json'), { force: true });
    for (const command of [
      ['graph', run],
      ['undo', run],
      ['rerun', run, '--from', 'say'],
      ['plan', '--compare', run],
    ]) {
      const { code, err } = await world.portolan(command);
      expect([command[0], code, err]).toEqual([command[0], 1, expect.stringContaining(`${path} is damaged: `)]);
      expect(err).toContain('put it back from a copy of the run store; without one, start its file anew');
    }
    expect(await world.portolan(['report', run])).toMatchObject({ code: 0, err: '' });
  }
  expect(await saidIn(world, 'plan.txt')).toBe('one ');
  await writeFile(path, whole);
  expect((await world.portolan(['undo', run])).code).toBe(0);
  expect(await saidIn(world, 'plan.txt')).toBe('one -one ');
});

test('a rerun and an undo repeat nothing where the end of a run, or of its undo, cannot be read in its folder', async () => {
  for (const at of damagesOf('').keys()) {
    const said = `ends-${at}.txt`;
    const more = `  fails: { use: acme.says, needs: [say], with: { word: two, file: ${said}, fails: true } }\n`;
    const { run } = (await world.run(`${pipeline(said)}${more}`)).result;
    const breakEnd = async (of: string): Promise<void> => {
      const path = world.store(of).path('view.json');
      await writeFile(path, damagesOf(await readFile(path, 'utf8'))[at]!);
    };
    await breakEnd(run);
    expect((await world.portolan(['runs'])).out).toMatch(new RegExp(`${run} +failed`));
    const { out } = await world.portolan(['rerun', run, '--json']);
    const again = (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run;
    expect(await saidIn(world, said)).toBe('one ');
    await breakEnd(again);
    expect((await world.portolan(['undo', run])).code).toBe(0);
    expect(await saidIn(world, said)).toBe('one -one ');
    await breakEnd(`${run}.undo`);
    expect(await world.portolan(['undo', run])).toMatchObject({ code: 0, out: expect.stringContaining('is undone') });
    expect(await saidIn(world, said)).toBe('one -one ');
  }
});

test('a record that is not what was written there is named with its file, and a rerun goes without once its file is named', async () => {
  const { run, path, whole } = await runWith('run.json', 'record.txt');
  for (const text of [whole.slice(0, whole.length / 2), '{}']) {
    await writeFile(path, text);
    for (const [command, remedy] of [
      [['undo', run], 'undo it by hand'],
      [['rerun', run, '--from', 'say'], 'name the pipeline file of the run: --file FILE'],
    ] as const) {
      const { code, err } = await world.portolan(command);
      expect([command[0], code, err]).toEqual([
        command[0],
        1,
        expect.stringContaining(`${path} is damaged: it is not what was written there`),
      ]);
      expect(err).toContain(remedy);
    }
  }
  await rm(path);
  expect((await world.portolan(['undo', run])).err).toContain(`${path} is damaged: it is not there any more`);
  const file = await world.write('record.yaml', pipeline('record.txt'));
  expect((await world.portolan(['rerun', run, '--from', 'say', '--file', file])).code).toBe(0);
  expect(await saidIn(world, 'record.txt')).toBe('one one ');
  await writeFile(path, whole);
});

test('a forecast that is not what was written there is made anew', async () => {
  const { run } = await runWith('plan.json', 'forecast.txt');
  const path = world.store(run).path('forecast.json');
  const compared = await world.portolan(['plan', '--compare', run]);
  expect(compared.code).toBe(0);
  const whole = await readFile(path, 'utf8');
  for (const text of damagesOf(whole))
    for (const command of [
      ['plan', '--compare', run],
      ['report', run],
    ]) {
      await writeFile(path, text);
      expect(await world.portolan(command)).toMatchObject({ code: 0, err: '' });
      expect(await readFile(path, 'utf8')).toBe(whole);
    }
  expect(await world.portolan(['plan', '--compare', run])).toEqual(compared);
});
