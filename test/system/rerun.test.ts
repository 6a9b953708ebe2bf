import { readFile, rm } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import type { ReuseVerdict } from '../../runs/reuse.ts';
import { newSlug, type RunResult } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const api = new URL('../../index.ts', import.meta.url).href;
const greeter = (hello: string): string => `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.greet',
  input: z.strictObject({ name: z.string() }),
  output: z.object({ text: z.string() }),
  effect: 'safe',
  run: async ({ name }: { name: string }) => ({ text: \`${hello}, \${name}\` }),
});
`;
let loaded = '';
/** The step's file, read by the worker too: it does so when it starts. */
const writeGreeter = async (hello: string): Promise<void> => {
  await world.write('steps/greet.mts', greeter(hello));
  if (hello === loaded) return;
  await world.worker.kill();
  await world.worker.start(0);
  loaded = hello;
};
beforeEach(() => writeGreeter('Hello'));

/** `kind` is longer than an id may be, so that rows with it as their id are rejected: the file needs mending. */
const table = Array.from({ length: 24 }, (_, n) => ({ key: `k${n}`, kind: `${n % 2 ? 'odd' : 'even'} ${'and so on '.repeat(4)}${n}`, n }));
const pipeline = ({ id = 'kind', name = 'Ada' } = {}): string => `
name: mended
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  greet: { use: acme.greet, with: { name: ${name} } }
  rows: { use: dataset.append, needs: [greet], with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: ${id} } } }
  read: { use: api.call, needs: [rows], with: { operation: maps.projects.get, input: { project_id: "\${{ steps.dataset.id }}" } } }
outputs: { added: "\${{ steps.rows.added }}", text: "\${{ steps.greet.text }}", slug: "\${{ steps.read.result.slug }}" }
`;

/** A run that failed in `rows`. */
const failedRun = async () => {
  const dataset = newSlug('mended');
  const source = await world.write(`${dataset}.json`, table);
  const { result } = await world.run(pipeline(), { source, dataset });
  expect(result).toMatchObject({
    state: 'failed',
    error: { step: 'rows', message: expect.stringContaining('24 of 24 items rejected') },
  });
  return { run: result.run, dataset, source };
};

const rerun = async (run: string, ...argv: string[]) => {
  const { code, out, err } = await world.portolan(['rerun', run, '--json', ...argv]);
  const lines = out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string });
  const verdicts = (lines[0] as unknown as { steps: ReuseVerdict[] } | undefined)?.steps ?? [];
  return {
    code,
    err,
    verdicts: Object.fromEntries(verdicts.map(({ step, reused, why }) => [step, reused ? 'reused' : why])),
    result: lines.at(-1) as unknown as RunResult,
  };
};

test('after the file is mended, what was completed is not done again', async () => {
  const { run, dataset } = await failedRun();
  const file = await world.write('fixed.yaml', pipeline({ id: 'key' }));
  const why = await world.portolan(['why', run]);
  expect(why.out).toMatch(new RegExp(`remedy.*, then: portolan rerun ${run} --from rows --file pipelines/`));

  const { value, calls } = await world.callsOf(() => rerun(run, '--from', 'rows', '--file', file));
  expect(value).toMatchObject({
    code: 0,
    verdicts: { dataset: 'reused', greet: 'reused', rows: 'it failed', read: 'follows rows' },
    result: { state: 'done', outputs: { added: 24, text: 'Hello, Ada', slug: dataset } },
  });
  expect(value.result.run).not.toBe(run);
  expect(calls).not.toContain('maps.projects.bySlug');
  expect(calls).not.toContain('maps.projects.create');
  expect(calls).toContain('maps.data.addArrow');
  const snapshot = await world.ended(value.result.run);
  expect(snapshot.view.steps.map(({ id, reusedFrom }) => [id, reusedFrom])).toEqual([
    ['dataset', run],
    ['greet', run],
    ['rows', undefined],
    ['read', undefined],
  ]);
  expect(await readFile(world.store(value.result.run).path('report.html'), 'utf8')).toContain(`reused from ${run}`);

  // Again, from the last step: what two runs did is reused, each under its own name.
  const last = await rerun(value.result.run, '--from', 'read');
  expect(last.verdicts).toEqual({ dataset: 'reused', greet: 'reused', rows: 'reused', read: 'named by --from' });
  const { steps } = (await world.ended(last.result.run)).view;
  expect(steps.map(({ reusedFrom }) => reusedFrom)).toEqual([run, run, value.result.run, undefined]);
  // What was reused is no work of this run.
  expect(snapshot.view.steps[2]!.counts).toMatchObject({ added: 24 });
  expect(steps[2]!.counts).toBeUndefined();
});

test('control: without reuse the calls are made again', async () => {
  const { run } = await failedRun();
  const file = await world.write('fixed.yaml', pipeline({ id: 'key' }));
  const { value, calls } = await world.callsOf(() => rerun(run, '--from', 'dataset', '--file', file));
  expect(value.verdicts).toMatchObject({ dataset: 'named by --from', greet: 'reused', rows: 'follows dataset' });
  expect(calls).toContain('maps.projects.bySlug');
});

test('behind a step that is skipped again nothing is done again; where it is not, what follows it is', async () => {
  const file = await world.write(
    'branched.yaml',
    `
name: branched
params: { name: { type: string }, polite: { type: boolean, default: false } }
steps:
  greet: { use: acme.greet, when: "\${{ params.polite }}", with: { name: Ada } }
  note: { use: acme.greet, needs: { greet: [done, skipped] }, with: { name: Grace } }
  last: { use: acme.greet, needs: [note], with: { name: "\${{ params.name }}" } }
`,
  );
  const first = await world.portolan(['run', file, '-p', 'name=Edsger', '--json']);
  const { run } = JSON.parse(first.out.trim().split('\n').at(-1)!) as RunResult;
  const again = await rerun(run, '--from', 'last');
  expect(again, again.err).toMatchObject({ code: 0, verdicts: { greet: 'reused', note: 'reused', last: 'named by --from' } });
  const stepsOf = async (id: string) => (await world.ended(id)).view.steps.map(({ status, reusedFrom }) => [status, reusedFrom]);
  expect(await stepsOf(again.result.run)).toEqual([
    ['skipped', undefined],
    ['done', run],
    ['done', undefined],
  ]);
  const polite = await rerun(again.result.run, '--from', 'last', '-p', 'polite=true');
  expect(polite.verdicts).toMatchObject({ greet: 'it may not be skipped now', note: 'follows greet' });
  expect((await stepsOf(polite.result.run)).map(([status]) => status)).toEqual(['done', 'done', 'done']);
  const left = await rerun(polite.result.run, '--from', 'last', '-p', 'polite=false');
  expect(left.verdicts).toMatchObject({ greet: 'its when gives false now', note: 'follows greet' });
  expect((await stepsOf(left.result.run)).map(([status]) => status)).toEqual(['skipped', 'done', 'done']);
  const { out } = await world.portolan(['rerun', again.result.run, '--from', 'last']);
  expect(out).toMatch(/greet +skipped again\n +note +reused\n +last +runs: named by --from/);
});

test('other code of a step is not reused, nor is another input, nor what follows them', async () => {
  const { run, source } = await failedRun();
  const named = await rerun(
    run,
    '--file',
    await world.write('fixed.yaml', pipeline({ id: 'key', name: 'Grace' })),
    '-p',
    `dataset=${newSlug('other')}`,
  );
  expect(named).toMatchObject({
    code: 0,
    verdicts: { dataset: 'its input changed: slug', greet: 'its input changed: name', rows: 'it failed' },
    result: { outputs: { text: 'Hello, Grace', added: 24 } },
  });

  await writeGreeter('Good day');
  const code = await rerun(run, '--file', await world.write('fixed.yaml', pipeline({ id: 'key' })));
  expect(code).toMatchObject({
    code: 0,
    verdicts: { dataset: 'reused', greet: 'its code changed' },
    result: { outputs: { text: 'Good day, Ada' } },
  });

  // A done run: the rows stand on a file whose bytes are others now.
  await world.write(source.split('/').at(-1)!, [...table, { key: 'k24', kind: 'even', n: 24 }]);
  const bytes = await rerun(code.result.run, '--from', 'read');
  expect(bytes).toMatchObject({
    code: 0,
    verdicts: { dataset: 'reused', greet: 'reused', rows: `${source} changed`, read: 'named by --from' },
    result: { outputs: { added: 1 } },
  });
});

test('what a worker did with other code than the plan names is not reused', async () => {
  const after = (text: string): string => text.replace('greet: {', 'greet: { needs: [dataset],');
  const dataset = newSlug('mended');
  const source = await world.write(`${dataset}.json`, table);
  const fault = await world.control.fault('maps.projects.bySlug', 1, { hold: 'before' });
  const run = await world.start(after(pipeline()), { source, dataset });
  expect(await world.control.held(fault.id)).toBe(true);
  // The plan names the code of the first greeter; the worker that comes to the step knows the second one.
  await writeGreeter('Good day');
  await world.control.release(fault.id);
  expect((await world.ended(run)).view.state).toBe('failed');

  await writeGreeter('Hello');
  const again = await rerun(run, '--file', await world.write('fixed.yaml', after(pipeline({ id: 'key' }))));
  expect(again).toMatchObject({
    verdicts: { dataset: 'reused', greet: 'its worker ran other code than the plan named' },
    result: { outputs: { text: 'Hello, Ada' } },
  });
});

const lists = (tag: string): string => `
name: lists
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key } } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: kind } }
  some: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { range: n, from: 2 } } }
  tag: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.some.points }}", add: ${tag} } }
outputs: { tagged: "\${{ steps.tag.count }}" }
`;

test('id lists of the former run are read where they are; without its folder their step runs anew', async () => {
  const dataset = newSlug('lists');
  const source = await world.write(`${dataset}.json`, table);
  const { result } = await world.run(lists('a'), { source, dataset });
  expect(result).toMatchObject({ state: 'done', outputs: { tagged: 22 } });
  const file = await world.write('lists.yaml', lists('b'));

  const again = await world.callsOf(() => rerun(result.run, '--from', 'tag', '--file', file));
  expect(again.value).toMatchObject({ code: 0, verdicts: { some: 'reused', tag: 'named by --from' }, result: { outputs: { tagged: 22 } } });
  expect(again.calls).toContain('maps.tags.update');
  for (const call of ['maps.query.select', 'maps.data.addArrow', 'maps.indices.create']) expect(again.calls).not.toContain(call);

  await rm(world.store(result.run).path('ids'), { recursive: true });
  const gone = await rerun(result.run, '--from', 'tag', '--file', file);
  expect(gone).toMatchObject({ code: 0, verdicts: { map: 'reused', some: expect.stringContaining('its result is gone') } });
});

const loop = '  each: { forEach: { items: [1, 2] }, steps: { ask: { use: gate.approve } } }\noutputs:';

test('refuses what cannot be continued, and says what to type', async () => {
  const { run, dataset, source } = await failedRun();
  expect(await rerun(run, '--from', 'row')).toMatchObject({ code: 2, err: expect.stringMatching(/no step 'row'; did you mean 'rows'\?/) });
  for (const within of ['ask', 'each[0].ask', 'each[1]'])
    expect(
      await rerun(run, '--from', within, '--file', await world.write('looped.yaml', pipeline().replace('outputs:', loop))),
    ).toMatchObject({
      code: 2,
      err: expect.stringMatching(/stands in 'each', and a rerun begins at no step within another\n +--from each/),
    });
  const other = await world.write('other.yaml', pipeline().replace('name: mended', 'name: another'));
  expect(await rerun(run, '--file', other)).toMatchObject({ code: 2, err: expect.stringContaining('is the pipeline another') });

  const fault = await world.control.fault('maps.data.addArrow', 1, { hold: 'before' });
  const open = await world.start(pipeline({ id: 'key' }), { source, dataset });
  expect(await world.control.held(fault.id)).toBe(true);
  expect(await rerun(open)).toMatchObject({ code: 2, err: expect.stringContaining(`run ${open} has not ended (running)`) });
  await world.control.release(fault.id);
  expect((await world.ended(open)).view.state).toBe('done');
  expect(await rerun(open)).toMatchObject({ code: 2, err: expect.stringContaining('--from STEP') });
});

test('a run whose folder is gone is not run again in another environment, or with other parameters, than it had', async () => {
  const file = await world.pipeline(`name: placed
params: { word: { type: string, default: usual }, more: { type: string, default: usual } }
environments: { prod: { params: { word: prod } } }
steps:
  greet: { use: acme.greet, with: { name: "\${{ params.word + '-' + params.more }}" } }
outputs: { text: "\${{ steps.greet.text }}" }
`);
  const said = await world.portolan(['run', file, '--connection', 'local', '--env', 'prod', '-p', 'more=given', '--json']);
  const { run } = JSON.parse(said.out.trim().split('\n').at(-1)!) as RunResult;
  // What it was given stands in its plan: of its record only the name of its file is missed.
  await rm(world.store(run).path('run.json'));
  const again = await rerun(run, '--file', file, '--from', 'greet');
  expect(again).toMatchObject({ code: 0, result: { outputs: { text: 'Hello, prod-given' } } });

  await rm(world.store(run).path(), { recursive: true });
  const refused = await rerun(run, '--file', file, '--from', 'greet');
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(`the folder of run ${run} is gone, and its plan, environment and parameters with it`);
  expect(refused.err).toContain(`portolan run ${file} -p NAME=VALUE`);
});

test('a cancelled run goes on where it was', async () => {
  const dataset = newSlug('cancelled');
  const source = await world.write(`${dataset}.json`, table);
  const fault = await world.control.fault('maps.data.addArrow', 1, { hold: 'before' });
  const run = await world.start(pipeline({ id: 'key' }), { source, dataset });
  expect(await world.control.held(fault.id)).toBe(true);
  await world.portolan(['cancel', run]);
  await world.control.release(fault.id);
  expect((await world.ended(run)).view.state).toBe('cancelled');
  expect(await rerun(run)).toMatchObject({
    code: 0,
    verdicts: { dataset: 'reused', greet: 'reused', rows: 'not completed (cancelled)', read: 'follows rows' },
    result: { state: 'done', outputs: { slug: dataset } },
  });
});
