import { mkdir } from 'node:fs/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { useWorld } from './support.ts';
import { giveSays, saidIn } from './support-says.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

const said = (name: string): Promise<string> => saidIn(world, name);

const greet = `name: greet
params:
  word: { type: string }
  file: { type: string }
  fails: { type: boolean, default: false }
steps:
  say: { use: acme.says, with: { word: "\${{ params.word }}", file: "\${{ params.file }}", fails: "\${{ params.fails }}" } }
  again: { use: acme.says, with: { word: "\${{ steps.say.word + '!' }}", file: "\${{ params.file }}" } }
outputs: { word: "\${{ steps.again.word }}", long: "\${{ steps.say.long }}" }
`;

/** The id of the run that a step of another run is. */
const childOf = (run: string, path: string): string => `${run}.${path}`;

test('a step that names a pipeline file is a run of its own, with parameters and outputs, linked to the run above it', async () => {
  await world.write('pipelines/lib/greet.yaml', greet);
  const run = await world.start(`name: above
steps:
  one: { use: ./lib/greet.yaml, with: { word: ant, file: one.txt } }
  two: { use: ./lib/greet.yaml, when: "\${{ !steps.one.long }}", with: { word: "\${{ steps.one.word + steps.one.word }}", file: one.txt } }
outputs: { last: "\${{ steps.?two.word.orValue('none') }}" }
`);
  const { view } = await world.ended(run);
  expect(view).toMatchObject({
    state: 'done',
    outputs: { last: 'ant!ant!!' },
    steps: [
      { id: 'one', kind: 'pipeline', use: './lib/greet.yaml', status: 'done', child: { run: childOf(run, 'one'), state: 'done' } },
      { id: 'two', status: 'done' },
    ],
  });
  expect(await said('one.txt')).toBe('ant ant! ant!ant! ant!ant!! ');
  const child = await world.ended(childOf(run, 'two'));
  expect(child.view).toMatchObject({ pipeline: 'greet', state: 'done', outputs: { word: 'ant!ant!!' } });
  expect((await world.locate(childOf(run, 'two'))).record).toMatchObject({ origin: { run, step: 'two' }, given: ['word', 'file'] });
});

test('a failed run of a step fails it with the class of its error, and names the run', async () => {
  await world.write('pipelines/lib/greet.yaml', greet);
  const file = (onError: string): string => `name: failing
steps:
  one: { use: ./lib/greet.yaml, with: { word: bee, file: failing.txt, fails: true }${onError} }
  two: { use: acme.says, needs: { one: any }, with: { word: after, file: failing.txt } }
`;
  const strict = await world.start(file(''));
  expect((await world.ended(strict)).view).toMatchObject({
    state: 'failed',
    error: { step: 'one', message: expect.stringContaining(`run ${childOf(strict, 'one')}, step say: `) },
  });
  const { error } = (await world.ended(childOf(strict, 'one'))).view;
  const lenient = await world.start(file(', onError: tolerate'));
  expect((await world.ended(lenient)).view).toMatchObject({
    state: 'done',
    steps: [
      { id: 'one', status: 'tolerated', error: { type: error!.type } },
      { id: 'two', status: 'done' },
    ],
  });
});

const asks = `name: asks
params: { word: { type: string }, file: { type: string } }
steps:
  ask: { use: gate.approve, with: { show: "\${{ params.word }}" } }
  say: { use: acme.says, needs: [ask], with: { word: "\${{ params.word }}", file: "\${{ params.file }}" } }
outputs: { by: "\${{ steps.ask.who }}" }
`;

test('a gate in the run of a step is decided there, and the run above says which one waits', async () => {
  await world.write('pipelines/asks.yaml', asks);
  const run = await world.start(`name: gated
steps:
  one: { use: ./asks.yaml, with: { word: cat, file: gated.txt } }
outputs: { by: "\${{ steps.one.by }}" }
`);
  const child = childOf(run, 'one');
  await world.until(run, ({ view }) => view.state === 'approval');
  expect((await world.portolan(['why', run])).out).toContain(`portolan approve ${child} ask`);
  expect((await world.portolan(['approve', child, 'ask', '--as', 'ada', '--note', 'fine'])).code).toBe(0);
  expect((await world.ended(run)).view).toMatchObject({ state: 'done', outputs: { by: 'ada' } });
  expect(await said('gated.txt')).toBe('cat ');
});

test('a cancelled run cancels the runs of its steps and ends after them; what stands under finally is carried out there, and here when they have ended', async () => {
  await world.write(
    'pipelines/ends.yaml',
    `${asks}finally:\n  last: { use: acme.says, with: { word: last, file: "\${{ params.file }}" } }\n`,
  );
  const run = await world.start(`name: ended
steps:
  one: { use: ./ends.yaml, with: { word: cat, file: cancelled.txt } }
finally:
  all: { use: acme.says, with: { word: all, file: cancelled.txt } }
`);
  await world.until(run, ({ view }) => view.state === 'approval');
  expect((await world.portolan(['cancel', run])).code).toBe(0);
  expect((await world.ended(run)).view).toMatchObject({
    state: 'cancelled',
    steps: [
      { id: 'one', status: 'cancelled', child: { state: 'cancelled' } },
      { id: 'all', status: 'done' },
    ],
  });
  expect(await said('cancelled.txt')).toBe('last all ');
});

test('a failure beside it cancels the run of a step, and a run that somebody cancels fails its step', async () => {
  await world.write('pipelines/asks.yaml', asks);
  const run = await world.start(`name: beside
steps:
  one: { use: ./asks.yaml, with: { word: cat, file: beside.txt } }
  two: { use: ./asks.yaml, with: { word: dog, file: beside.txt } }
`);
  const [one, two] = [childOf(run, 'one'), childOf(run, 'two')];
  await world.until(run, ({ view }) => view.steps.every(({ child }) => child?.state === 'approval'));
  expect((await world.portolan(['cancel', two])).code).toBe(0);
  expect((await world.ended(run)).view).toMatchObject({
    state: 'failed',
    error: { step: 'two', type: 'Cancelled', message: `run ${two}: somebody cancelled it` },
    steps: [{ status: 'cancelled' }, { status: 'failed' }],
  });
  expect((await world.ended(one)).view.state).toBe('cancelled');
});

test('a paused run pauses the runs of its steps, and they go on with it', async () => {
  await world.write('pipelines/asks.yaml', asks);
  const run = await world.start('name: paused\nsteps:\n  one: { use: ./asks.yaml, with: { word: cat, file: paused.txt } }\n');
  const child = childOf(run, 'one');
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.portolan(['pause', run, '--as', 'ada', '--note', 'lunch']);
  const { view } = await world.until(child, (snapshot) => snapshot.view.paused !== undefined);
  expect(view.paused).toMatchObject({ who: 'ada', note: `with ${run}: lunch` });
  await world.portolan(['approve', child, 'ask']);
  await world.portolan(['resume', run]);
  expect((await world.ended(run)).view).toMatchObject({ state: 'done' });
  expect(await said('paused.txt')).toBe('cat ');
});

test('the run of a step that a person has paused by itself stays so when the run above it goes on', async () => {
  await world.write('pipelines/asks.yaml', asks);
  const run = await world.start('name: apart\nsteps:\n  one: { use: ./asks.yaml, with: { word: dog, file: apart.txt } }\n');
  const child = childOf(run, 'one');
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.portolan(['pause', child, '--as', 'bob']);
  await world.until(run, ({ view }) => view.steps[0]?.child?.state === 'paused');
  await world.portolan(['pause', run, '--as', 'ada']);
  await world.portolan(['resume', run]);
  const signals = async (): Promise<unknown[]> =>
    (await world.histories(child)).flatMap(({ events }) =>
      (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: given }) => given?.signalName ?? []),
    );
  await vi.waitFor(async () => expect(await signals()).toContain('resume'), 300_000);
  const { view } = await world.until(child, () => true);
  expect(view.paused).toMatchObject({ who: 'bob' });
  expect(view.paused).not.toHaveProperty('with');
  await world.portolan(['resume', child]);
  await world.portolan(['approve', child, 'ask']);
  expect((await world.ended(run)).view).toMatchObject({ state: 'done' });
});

test('a loop of pipelines: each turn is a run of its own, and a large output is read by reference', async () => {
  await world.write(
    'pipelines/many.yaml',
    `name: many
params: { word: { type: string }, file: { type: string } }
steps:
  say: { use: acme.says, with: { word: "\${{ params.word }}", file: "\${{ params.file }}" } }
outputs: { long: "\${{ steps.say.word }} ${'x'.repeat(5_000)}", word: "\${{ steps.say.word }}" }
`,
  );
  const run = await world.start(`name: each
steps:
  each:
    forEach: { items: [ant, bee, cat], as: word, parallel: 2 }
    steps:
      one: { use: ./many.yaml, with: { word: "\${{ word }}", file: each.txt } }
    outputs: { word: "\${{ steps.one.word }}", size: "\${{ size(steps.one.long) }}" }
outputs: { rows: "\${{ steps.each.rows }}" }
`);
  expect((await world.ended(run)).view).toMatchObject({
    state: 'done',
    outputs: { rows: ['ant', 'bee', 'cat'].map((word) => ({ word, size: 5_004 })) },
  });
  expect((await said('each.txt')).trim().split(' ').sort()).toEqual(['ant', 'bee', 'cat']);
  expect((await world.ended(childOf(run, 'each-2-one'))).view.state).toBe('done');
});

test('a rerun takes over what the runs of steps have completed, and does what failed', async () => {
  await world.write(
    'pipelines/two.yaml',
    `name: two
params: { word: { type: string }, file: { type: string }, fails: { type: boolean, default: false } }
steps:
  say: { use: acme.says, with: { word: "\${{ params.word }}", file: "\${{ params.file }}" } }
  again: { use: acme.says, with: { word: "\${{ steps.say.word + '!' }}", file: "\${{ params.file }}", fails: "\${{ params.fails }}" } }
outputs: { word: "\${{ steps.again.word }}" }
`,
  );
  const file = (fails: boolean): string => `name: rerun
steps:
  first: { use: ./two.yaml, with: { word: ant, file: rerun.txt } }
  between: { use: acme.says, with: { word: "\${{ steps.first.word }}", file: rerun.txt } }
  second: { use: ./two.yaml, needs: [between], with: { word: bee, file: rerun.txt, fails: ${fails} } }
  each:
    forEach: { items: [x, y], as: letter, parallel: 1 }
    steps: { one: { use: ./two.yaml, with: { word: "\${{ letter }}", file: rerun.txt } } }
  last: { use: acme.says, needs: [second, each], with: { word: last, file: rerun.txt } }
`;
  const path = await world.write('pipelines/rerun.yaml', file(true));
  const failed = await world.startFile(path);
  expect((await world.ended(failed)).view).toMatchObject({ state: 'failed', error: { step: 'second' } });
  const before = await said('rerun.txt');
  expect(before.split(' ').sort().join(' ').trim()).toBe('ant ant! ant! bee x x! y y!');

  await world.write('pipelines/rerun.yaml', file(false));
  const again = await world.portolan(['rerun', failed, '--json', '--detach']);
  expect(again.err).toBe('');
  const { run } = JSON.parse(again.out.trim().split('\n').at(-1)!) as { run: string };
  expect((await world.ended(run)).view).toMatchObject({
    state: 'done',
    steps: [{ id: 'first', reusedFrom: failed }, { id: 'between', reusedFrom: failed }, { id: 'second' }, { id: 'each' }, { id: 'last' }],
  });
  // Of the one that failed its first step is taken over, of the loop all that its runs have done.
  expect((await said('rerun.txt')).slice(before.length)).toBe('bee! last ');
  expect((await world.ended(childOf(run, 'second'))).view.steps).toMatchObject([
    { reusedFrom: childOf(failed, 'second') },
    { status: 'done' },
  ]);
  expect((await world.locate(childOf(run, 'each-1-one'))).record?.former).toMatchObject([{ run: childOf(failed, 'each-1-one') }]);
});

test('--failed-only begins with a loop whose turns or rows failed and were tolerated', async () => {
  await world.write(
    'pipelines/may-fail.yaml',
    `name: may-fail
params: { word: { type: string }, file: { type: string }, fails: { type: boolean } }
steps:
  say: { use: acme.says, with: { word: "\${{ params.word }}", file: "\${{ params.file }}" } }
  again: { use: acme.says, needs: [say], with: { word: "\${{ params.word + '!' }}", file: "\${{ params.file }}", fails: "\${{ params.fails }}" } }
`,
  );
  await world.write('words.json', [{ word: 'ant' }, { word: 'bee' }]);
  const loops = {
    runs: `    forEach: { items: [ant, bee], as: row, parallel: 1 }
    tolerate: { failed: 1 }
    steps: { one: { use: ./may-fail.yaml, with: { word: "\${{ row }}", file: runs.txt, fails: "\${{ params.fails && row == 'bee' }}" } } }
`,
    rows: `    forEach: { rows: ../words.json, key: word, as: row, parallel: 1 }
    tolerate: { failed: 1 }
    steps: { one: { use: acme.says, with: { word: "\${{ row.word }}", file: rows.txt, fails: "\${{ params.fails && row.word == 'bee' }}" } } }
`,
  };
  for (const [name, loop] of Object.entries(loops)) {
    const path = await world.write(
      `pipelines/${name}.yaml`,
      `name: ${name}\nparams: { fails: { type: boolean } }\nsteps:\n  each:\n${loop}`,
    );
    const first = await world.startFile(path, { fails: 'true' });
    expect((await world.ended(first)).view.state).toBe('done');
    const why = (await world.portolan(['why', first])).out;
    expect(why).toContain(name === 'runs' ? '1 turn of each failed, which is tolerated: each[1]: ' : '1 items failed in each');
    const before = await said(`${name}.txt`);
    const { code, out } = await world.portolan(['rerun', first, '--failed-only', '-p', 'fails=false', '--json']);
    expect(code).toBe(0);
    // A parameter stands in the steps of the rows: other steps are done for each of them.
    expect((await said(`${name}.txt`)).slice(before.length)).toBe(name === 'runs' ? 'bee! ' : 'ant bee ');
    const { run } = JSON.parse(out.trim().split('\n').at(-1)!) as { run: string };
    expect(await world.portolan(['rerun', run, '--failed-only'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no item that is not done'),
    });
  }
});

test('what somebody has rerun of a step by itself is known when the run above it is rerun, and not while it goes on', async () => {
  const lib = (gate: string): string => `name: alone
params: { file: { type: string }, fails: { type: boolean, default: false } }
steps:
  say: { use: acme.says, with: { word: alone, file: "\${{ params.file }}", fails: "\${{ params.fails }}" } }
${gate}`;
  await world.write('pipelines/alone.yaml', lib(''));
  const file = (fails: boolean): string => `name: over
steps:
  one: { use: ./alone.yaml, with: { file: alone.txt, fails: ${fails} } }
`;
  const path = await world.write('pipelines/over.yaml', file(true));
  const failed = await world.startFile(path);
  expect((await world.ended(failed)).view).toMatchObject({ state: 'failed', error: { step: 'one' } });

  const gated = await world.write('pipelines/gated.yaml', lib('  ask: { use: gate.approve, needs: [say] }\n'));
  const started = await world.portolan(['rerun', childOf(failed, 'one'), '--file', gated, '-p', 'fails=false', '--json', '--detach']);
  const alone = (JSON.parse(started.out.trim().split('\n').at(-1)!) as { run: string }).run;
  await world.until(alone, ({ view }) => view.state === 'approval');
  await world.write('pipelines/over.yaml', file(false));
  const meanwhile = await world.portolan(['rerun', failed, '--json']);
  expect(meanwhile.out).toContain(`run ${childOf(failed, 'one')} is continued by run ${alone} already`);
  await world.portolan(['approve', alone, 'ask']);
  expect((await world.ended(alone)).view.state).toBe('done');
  const again = await world.portolan(['rerun', failed, '--json']);
  const { run, state } = JSON.parse(again.out.trim().split('\n').at(-1)!) as { run: string; state: string };
  expect(state).toBe('done');
  expect((await world.ended(childOf(run, 'one'))).view.steps).toMatchObject([{ id: 'say', reusedFrom: alone }]);
  expect(await said('alone.txt')).toBe('alone ');
});

test('a run that took over all but a step that failed and is tolerated has done something: what follows is done again', async () => {
  await world.write(
    'pipelines/tolerates.yaml',
    `name: tolerates
steps:
  say: { use: acme.says, with: { word: kept, file: tolerated.txt } }
  fail: { use: acme.says, with: { word: no, file: tolerated.txt, fails: true }, onError: tolerate }
outputs: { word: "\${{ steps.say.word }}" }
`,
  );
  const file = (fails: boolean): string => `name: tolerated
steps:
  one: { use: ./tolerates.yaml }
  after: { use: acme.says, with: { word: "\${{ steps.one.word }}", file: tolerated.txt } }
  last: { use: acme.says, needs: [after], with: { word: last, file: tolerated.txt, fails: ${fails} } }
`;
  const path = await world.write('pipelines/tolerated.yaml', file(true));
  const failed = await world.startFile(path);
  expect((await world.ended(failed)).view).toMatchObject({ state: 'failed', error: { step: 'last' } });
  await world.write('pipelines/tolerated.yaml', file(false));
  const { out } = await world.portolan(['rerun', failed, '--json', '--detach']);
  const { run } = JSON.parse(out.trim().split('\n').at(-1)!) as { run: string };
  const { view } = await world.ended(run);
  expect(view.steps.map(({ id, status, reusedFrom }) => [id, status, reusedFrom])).toEqual([
    ['one', 'done', undefined],
    ['after', 'done', undefined],
    ['last', 'done', undefined],
  ]);
  expect((await world.ended(childOf(run, 'one'))).view.steps).toMatchObject([
    { id: 'say', reusedFrom: childOf(failed, 'one') },
    { id: 'fail', status: 'tolerated' },
  ]);
});

test('a further try of a step is another run, which goes on where the last one was', async () => {
  await world.write(
    'steps/mends.mts',
    `import { existsSync, writeFileSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
export default defineStep({
  name: 'acme.mends',
  input: z.strictObject({ file: z.string() }),
  output: z.object({ ok: z.boolean() }),
  effect: 'idempotent',
  run({ file }) {
    if (!existsSync(file)) { writeFileSync(file, ''); const error = new Error('broken'); error.name = 'ServiceFailed'; throw error; }
    return { ok: true };
  },
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
  await world.write(
    'pipelines/mends.yaml',
    `name: mends
steps:
  say: { use: acme.says, with: { word: once, file: mends.txt } }
  mend: { use: acme.mends, needs: [say], with: { file: mended } }
outputs: { ok: "\${{ steps.mend.ok }}" }
`,
  );
  const run = await world.start(`name: tries
steps:
  ask: { use: gate.approve, with: {} }
  one: { use: ./mends.yaml, needs: [ask], onError: { service: { retry: 2, every: 1s } } }
outputs: { ok: "\${{ steps.one.ok }}" }
`);
  // As after a kill, before which the second try had made its folder.
  await world.until(run, ({ view }) => view.state === 'approval');
  await mkdir(new URL(`${(await world.locate(run)).record!.store}.one-2`));
  await world.portolan(['approve', run, 'ask']);
  expect((await world.ended(run)).view).toMatchObject({
    state: 'done',
    outputs: { ok: true },
    steps: [{ id: 'ask' }, { child: { run: childOf(run, 'one-2') } }],
  });
  expect(await said('mends.txt')).toBe('once ');
  expect((await world.ended(childOf(run, 'one'))).view.state).toBe('failed');
});
