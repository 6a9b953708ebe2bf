import { beforeAll, expect, test } from 'vitest';
import { openProject } from '../../index.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const text = `
name: many
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
outputs: { slug: "\${{ params.dataset }}" }
`;

const verdict = `import { defineStep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
export default defineStep({
  name: 'acme.verdict',
  input: z.strictObject({}),
  output: z.object({}),
  effect: 'safe',
  run() {
    throw Object.assign(new Error('the counts cannot be known'), { name: 'Inconclusive' });
  },
});
`;

beforeAll(async () => {
  await world.write('steps/verdict.mts', verdict);
  // A worker reads the step files when it starts.
  await world.worker.stop();
  await world.worker.start(0);
});

const sets = async (values: readonly unknown[]): Promise<string> =>
  world.write(`${newSlug('sets')}.jsonl`, values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n'));
const lines = (out: string): { line: number; run?: string; state: string; reason?: string }[] =>
  out
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as { line: number; state: string });

test('a run for each line of a file: one command, one line for each start and each end', async () => {
  const datasets = Array.from({ length: 12 }, () => newSlug('many'));
  const file = await sets(['', ...datasets.map((dataset) => ({ dataset }))]);
  const pipeline = await world.pipeline(text);
  // What a line says goes before what the command says for all of them.
  const command = ['run', pipeline, '-c', 'local', '-P', file, '-p', `dataset=${newSlug('for-all')}`, '--json'];
  const { value, effects } = await world.effectsOf(() => world.portolan(command));
  expect(value).toMatchObject({ code: 0, err: '' });
  const said = lines(value.out);
  expect(
    said
      .filter(({ state }) => state === 'running')
      .map(({ line }) => line)
      .sort((a, b) => a - b),
  ).toEqual(datasets.map((_, at) => at + 2));
  expect(new Set(said.filter(({ state }) => state === 'done').map(({ run }) => run)).size).toBe(12);
  expect(effects.map(({ operation }) => operation)).toEqual(datasets.map(() => 'maps.projects.create'));
});

test('nothing is started where one line is wrong, and the line is named', async () => {
  const pipeline = await world.pipeline(text);
  for (const [wrong, says] of [
    ['{ dataset: x }', ':2: not a JSON object'],
    [{ dataset: 'Not A Slug' }, ':2: '],
    [{ datset: 'x' }, "did you mean 'dataset'"],
  ] as const) {
    const file = await sets([{ dataset: newSlug('never') }, wrong]);
    const { value, effects } = await world.effectsOf(() => world.portolan(['run', pipeline, '-c', 'local', '-P', file]));
    expect(value).toMatchObject({ code: 2, err: expect.stringContaining(says) });
    expect(effects).toEqual([]);
  }
});

test('a line whose dataset is held is reported, and the others run', async () => {
  const [held, free] = [newSlug('held'), newSlug('free')];
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const holder = await world.start(text, { dataset: held });
  expect(await world.control.held(fault.id)).toBe(true);
  const said = await world.portolan([
    'run',
    await world.pipeline(text),
    '-c',
    'local',
    '-P',
    await sets([{ dataset: held }, { dataset: free }]),
    '--json',
  ]);
  await world.control.release(fault.id);
  expect(said.code).toBe(1);
  expect(lines(said.out)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ line: 1, state: 'refused', reason: expect.stringContaining(`held by run ${holder}`) }),
      expect.objectContaining({ line: 2, state: 'done' }),
    ]),
  );
  await world.ended(holder);
});

test('the exit code is that of the worst line: one that was not started is worse than one whose result cannot be known', async () => {
  const [held, free] = [newSlug('held'), newSlug('free')];
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const holder = await world.start(text, { dataset: held });
  expect(await world.control.held(fault.id)).toBe(true);
  const unsure = await world.pipeline(text.replace('outputs:', '  one: { use: acme.verdict }\noutputs:'));
  const said = await world.portolan(['run', unsure, '-c', 'local', '-P', await sets([{ dataset: free }]), '--json']);
  const both = await world.portolan(['run', unsure, '-c', 'local', '-P', await sets([{ dataset: held }, { dataset: free }]), '--json']);
  await world.control.release(fault.id);
  expect([said.code, both.code]).toEqual([4, 1]);
  await world.ended(holder);
});

test('a program starts runs and waits for them over one connection', async () => {
  await using project = await openProject({ cwd: world.dir });
  const file = await world.pipeline(text);
  const datasets = Array.from({ length: 5 }, () => newSlug('api'));
  const started = await Promise.all(datasets.map((dataset) => project.start(file, { dataset }, { connection: 'local', as: 'program' })));
  const ended = await Promise.all(started.map(({ run }) => project.ended(run)));
  expect(ended.map(({ state, outputs }) => [state, outputs])).toEqual(datasets.map((slug) => ['done', { slug }]));
  await expect(project.start(file, { dataset: 'No Slug' }, { connection: 'local' })).rejects.toThrow('expected a slug');
});

test('a run whose result cannot be known ends with exit code 4, and status says the same', async () => {
  const { code, result } = await world.run('name: unsure\nsteps:\n  one: { use: acme.verdict }\n');
  expect([code, result.error?.type]).toEqual([4, 'Inconclusive']);
  expect((await world.portolan(['status', result.run])).code).toBe(4);
});

test('an interrupted command ends with exit code 130, and the run goes on', async () => {
  const interrupt = new AbortController();
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const file = await world.pipeline(text);
  const running = world.portolan(['run', file, '-c', 'local', '-p', `dataset=${newSlug('cut')}`, '--json'], { signal: interrupt.signal });
  expect(await world.control.held(fault.id)).toBe(true);
  interrupt.abort();
  const { code, out, err } = await running;
  await world.control.release(fault.id);
  expect([code, err]).toEqual([130, expect.stringContaining('goes on without this command')]);
  expect(JSON.parse(out.trim().split('\n').at(-1)!)).toMatchObject({ type: 'error', exit: 130 });
  const id = /portolan watch (\S+)/.exec(err)![1]!;
  expect((await world.ended(id)).view.state).toBe('done');
});

test('an interrupted command that waits for several runs ends so too, and says how many go on', async () => {
  const interrupt = new AbortController();
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const file = await sets([{ dataset: newSlug('cut') }]);
  const command = ['run', await world.pipeline(text), '-c', 'local', '-P', file, '--json'];
  const running = world.portolan(command, { signal: interrupt.signal });
  expect(await world.control.held(fault.id)).toBe(true);
  interrupt.abort();
  const { code, out } = await running;
  await world.control.release(fault.id);
  const [begun, end] = lines(out);
  expect([code, end]).toMatchObject([130, { type: 'error', message: expect.stringMatching(/^interrupted: 1 run goes on/), exit: 130 }]);
  expect((await world.ended(begun!.run!)).view.state).toBe('done');
});
