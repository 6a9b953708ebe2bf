import { beforeAll, expect, test, vi } from 'vitest';
import { newSlug } from '../support/world.ts';
import { giveSays, saidIn } from './support-says.ts';
import { useWorld } from './support.ts';

const world = useWorld();

beforeAll(() => giveSays(world));

const said = async (name: string): Promise<string> => (await saidIn(world, name)).trim();

/** A dataset, what is said about it, and how both are taken back. */
const made = (more = ''): string => `name: made
params: { dataset: { type: slug }, file: { type: string } }
steps:
  dataset:
    use: dataset.ensure
    with: { slug: "\${{ params.dataset }}" }
    undo: { use: api.call, with: { operation: maps.projects.remove, input: { project_id: "\${{ steps.dataset.id }}" } } }
  one:
    use: acme.says
    with: { word: "\${{ steps.dataset.created ? 'one' : 'old' }}", file: "\${{ params.file }}" }
    undo: { use: acme.says, with: { word: "\${{ '-' + steps.one.word }}", file: "\${{ params.file }}" } }
  two:
    use: acme.says
    needs: [one]
    with: { word: two, file: "\${{ params.file }}" }
    undo: { use: acme.says, with: { word: "\${{ '-two-' + steps.one.word }}", file: "\${{ params.file }}" } }
  three: { use: acme.says, needs: [two], with: { word: three, file: "\${{ params.file }}" }, undo: none }
${more}`;

test('a run is taken back by a run of its own, the last step first, by what its steps gave; a second undo finds nothing to do', async () => {
  const slug = newSlug('undone');
  const { result } = await world.run(made(), { dataset: slug, file: 'by-command.txt' });
  expect(result.state).toBe('done');

  const refused = await world.portolan(['undo', result.run]);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('undo_dataset: maps.projects.remove');
  expect(refused.err).toContain('--accept undo_dataset');
  const dry = await world.portolan(['undo', result.run, '--dry-run']);
  expect(dry.code).toBe(0);
  expect(dry.out).toMatch(/two .*\n +one .*\n +dataset .*cannot be taken back[^]*what stays\n +three +there is no way back/);
  expect(await said('by-command.txt')).toBe('one two three');

  const { value: undone, effects } = await world.effectsOf(() =>
    world.portolan(['undo', result.run, '--accept', 'undo_dataset', '--json']),
  );
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect(await said('by-command.txt')).toBe('one two three -two-one -one');
  expect(effects.map(({ operation, changed }) => [operation, changed])).toEqual([['maps.projects.remove', 1]]);
  const { view } = await world.ended(`${result.run}.undo`);
  expect(view).toMatchObject({
    state: 'done',
    undoes: result.run,
    steps: [{ id: 'undo_two' }, { id: 'undo_one' }, { id: 'undo_dataset' }],
  });
  expect((await world.locate(`${result.run}.undo`)).record?.origin).toEqual({ command: 'undo', undoes: result.run });
  const status = JSON.parse((await world.portolan(['status', result.run, '--json'])).out) as object;
  expect(status).toMatchObject({ undone: { run: `${result.run}.undo`, state: 'done' } });

  const again = await world.portolan(['undo', result.run]);
  expect(again.code).toBe(0);
  expect(again.out).toContain(`run ${result.run} is undone: ${result.run}.undo`);
  // Without a name it is the same run, though its undo is newer, and a run of another project on the same cluster.
  const other = 'other-2026-11-21-a7f3c09b';
  const handle = await world.client.workflow.start('runPipelineV1', {
    workflowId: `portolan-${other}`,
    taskQueue: 'nobody',
    args: [],
    memo: { run: other, pipeline: 'other', store: `file:///elsewhere/runs/${other}`, state: 'running' },
  });
  try {
    await vi.waitFor(async () => expect((await world.portolan(['runs', '--json'])).out).toContain(other), 300_000);
    expect(await world.portolan(['undo'])).toEqual(again);
  } finally {
    await handle.terminate();
  }
  expect(await said('by-command.txt')).toBe('one two three -two-one -one');
});

/** Three steps that say a word each and take it back; the last one fails. */
const failing = (more: string, last = ''): string => `name: failing
params: { file: { type: string } }
steps:
  one: { use: acme.says, with: { word: one, file: "\${{ params.file }}" }, undo: { use: acme.says, with: { word: -one, file: "\${{ params.file }}" } } }
  two:
    use: acme.says
    needs: [one]
    with: { word: two, file: "\${{ params.file }}" }
    undo: { use: acme.says, with: { word: -two, file: "\${{ params.file }}"${last} } }
  three:
    use: acme.says
    needs: [two]
    with: { word: three, file: "\${{ params.file }}", fails: true }
    undo: { use: acme.says, with: { word: -three, file: "\${{ params.file }}" } }
${more}`;

test('a failed run whose file says so is taken back before it ends, and ends with its own failure', async () => {
  const { result, code } = await world.run(failing('onFailure: undo\nconcurrency: undone-key\n'), { file: 'on-failure.txt' });
  expect([code, result.state, result.error?.step]).toEqual([1, 'failed', 'three']);
  expect(await said('on-failure.txt')).toBe('one two -two -one');
  const { view } = await world.ended(result.run);
  expect(view.undo).toEqual({ run: `${result.run}.undo`, state: 'done', asks: [] });
  expect((await world.locate(`${result.run}.undo`)).record?.origin).toEqual({ undoes: result.run });
  const again = await world.portolan(['undo', result.run]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('is undone')]);
  // What a run has begun itself is no run that somebody started.
  const listed = (await world.portolan(['runs'])).out.split('\n').map((line) => line.split(' ')[0]);
  expect([listed.includes(result.run), listed.includes(`${result.run}.undo`)]).toEqual([true, false]);
  expect((await world.portolan(['runs', '--children'])).out).toContain(`${result.run}.undo `);
});

test('what cannot be taken back leaves what stands below it, the rest is taken back, and a second undo does what is left', async () => {
  const file = `name: partly
params: { file: { type: string } }
steps:
  one: { use: acme.says, with: { word: one, file: "\${{ params.file }}" }, undo: { use: acme.says, with: { word: -one, file: "\${{ params.file }}" } } }
  two:
    use: acme.says
    needs: [one]
    with: { word: two, file: "\${{ params.file }}" }
    undo: { use: acme.once, with: { word: -two, file: "\${{ params.file }}" } }
  beside:
    use: acme.says
    with: { word: beside, file: "\${{ params.file }}" }
    undo: { use: acme.says, with: { word: -beside, file: "\${{ params.file }}" } }
`;
  await world.write(
    'steps/once.mts',
    `import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
/** Fails the first time. */
export default defineStep({
  name: 'acme.once',
  input: z.strictObject({ word: z.string(), file: z.string() }),
  output: z.object({}),
  effect: 'idempotent',
  run({ word, file }) {
    if (!existsSync(file + '.tried')) { writeFileSync(file + '.tried', ''); throw new Error('not this time'); }
    appendFileSync(file, word + ' ');
    return {};
  },
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
  const { result } = await world.run(file, { file: 'partly.txt' });
  expect(result.state).toBe('done');

  const first = await world.portolan(['undo', result.run, '--json']);
  expect(first.code).toBe(1);
  expect((await said('partly.txt')).split(' ').slice(3)).toEqual(['-beside']);
  const failed = (await world.ended(`${result.run}.undo`)).view;
  expect(failed).toMatchObject({ state: 'failed', error: { step: 'undo_two' } });
  expect(failed.steps.map(({ id, status, skipped }) => [id, status, skipped?.because])).toEqual([
    ['undo_two', 'failed', undefined],
    ['undo_one', 'skipped', 'needs'],
    ['undo_beside', 'done', undefined],
  ]);

  expect((await world.portolan(['status', result.run])).out).toContain(`undo failed: ${result.run}.undo`);
  expect((await world.portolan(['why', result.run])).out).toContain(`what is left: portolan undo ${result.run}`);

  const second = await world.portolan(['undo', result.run, '--json']);
  expect([second.code, second.err]).toEqual([0, '']);
  expect((await said('partly.txt')).split(' ').slice(3)).toEqual(['-beside', '-two', '-one']);
  expect((await world.locate(`${result.run}.undo-2`)).record).toMatchObject({ former: [{ run: `${result.run}.undo` }] });
  const third = await world.portolan(['undo', result.run]);
  expect([third.code, third.out]).toEqual([0, expect.stringContaining(`is undone: ${result.run}.undo-2`)]);
});

test('a step that failed is taken back where somebody says so, and its undo reads nothing of it', async () => {
  const { result } = await world.run(failing(''), { file: 'failed.txt' });
  expect(result.state).toBe('failed');
  const dry = await world.portolan(['undo', result.run, '--dry-run']);
  expect(dry.out).toMatch(/what stays\n +three +it failed: .*its undo reads nothing of it: --failed three takes it back too/);
  const none = await world.portolan(['undo', result.run, '--failed', 'two']);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("'two' is no step that failed")]);
  const undone = await world.portolan(['undo', result.run, '--failed', 'three', '--json']);
  expect([undone.code, undone.err]).toEqual([0, '']);
  expect(await said('failed.txt')).toBe('one two -three -two -one');
  expect((await world.portolan(['undo', result.run, '--json'])).out).toContain('"stays":[]');

  const reads = failing('').replace('word: -three', 'word: "${{ steps.three.word }}"');
  const other = (await world.run(reads, { file: 'reads.txt' })).result.run;
  expect((await world.portolan(['undo', other, '--dry-run'])).out).toMatch(
    /three +it failed: what it had done until then is not known to its undo\n/,
  );
  expect((await world.portolan(['undo', other, '--failed', 'three'])).code).toBe(2);
});

test('an undo that fails beside a failed run leaves both failures, and a command does what is left', async () => {
  const { result, code } = await world.run(failing('onFailure: undo\n', ', fails: "${{ steps.two.word == \'two\' }}"'), {
    file: 'both.txt',
  });
  expect([code, result.error?.step]).toEqual([1, 'three']);
  const { view } = await world.ended(result.run);
  expect(view.undo).toMatchObject({ state: 'failed', error: { step: 'undo_two', message: expect.stringContaining('not to be said') } });
  expect(await said('both.txt')).toBe('one two');
  const why = (await world.portolan(['why', result.run])).out;
  expect(why).toContain('three is not to be said');
  expect(why).toContain('-two is not to be said');
  expect((await world.portolan(['why', `${result.run}.undo`])).out).toContain(`then: portolan undo ${result.run}`);
  // The undo is that of the plan: it fails again, and its run has its own id.
  expect((await world.portolan(['undo', result.run, '--json'])).code).toBe(1);
  expect((await world.ended(`${result.run}.undo-2`)).view.steps.map(({ id }) => id)).toEqual(['undo_two', 'undo_one']);
});

test('a worker that is killed while a failed run is taken back neither loses the undo nor does any of it twice', async () => {
  await world.write(
    'steps/slow.mts',
    `import { appendFileSync, existsSync } from 'node:fs';
import { defineStep, z } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
/** Says a word, and waits until it may go on. */
export default defineStep({
  name: 'acme.waits',
  input: z.strictObject({ word: z.string(), file: z.string() }),
  output: z.object({}),
  effect: 'idempotent',
  async run({ word, file }, { signal }) {
    appendFileSync(file + '.begun', word + ' ');
    while (!existsSync(file + '.go')) { signal.throwIfAborted(); await new Promise((resolve) => setTimeout(resolve, 20)); }
    appendFileSync(file, word + ' ');
    return {};
  },
});
`,
  );
  await world.worker.stop();
  await world.worker.start(0);
  const waits = failing('onFailure: undo\n').replace('{ use: acme.says, with: { word: -one,', '{ use: acme.waits, with: { word: -one,');
  const run = await world.start(waits, { file: 'killed.txt' });
  await world.until(run, ({ view }) => view.undo?.state === 'running');
  expect((await world.portolan(['status', run])).out).toContain(`is taken back by ${run}.undo`);
  const undoing = `${run}.undo`;
  await world.until(undoing, ({ view }) => view.steps.some(({ id, status }) => id === 'undo_one' && status === 'running'));
  await expect.poll(() => said('killed.txt.begun')).toBe('-one');
  // Nobody undoes it a second time beside it.
  const beside = await world.portolan(['undo', run]);
  expect(beside.code).not.toBe(0);
  await world.worker.kill();
  await world.write('killed.txt.go', '');
  await world.worker.start(0);
  const { view } = await world.ended(run);
  expect(view).toMatchObject({ state: 'failed', error: { step: 'three' }, undo: { run: undoing, state: 'done' } });
  expect(await said('killed.txt')).toBe('one two -two -one');
  expect((await world.histories(undoing)).length).toBe(1);
});

test('a run that is cancelled is not taken back, neither before it failed nor while it is being taken back', async () => {
  const gate = failing('onFailure: undo\n').replace('fails: true', 'fails: false').replace('needs: [two]', 'needs: [two, ask]');
  const run = await world.start(`${gate.replace('onFailure', '  ask: { use: gate.approve }\nonFailure')}`, { file: 'cancelled.txt' });
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.portolan(['cancel', run]);
  expect((await world.ended(run)).view).toMatchObject({ state: 'cancelled' });
  expect((await world.ended(run)).view).not.toHaveProperty('undo');
  expect(await said('cancelled.txt')).toBe('one two');
  // What it has done can be taken back all the same.
  expect((await world.portolan(['undo', run, '--json'])).code).toBe(0);
  expect(await said('cancelled.txt')).toBe('one two -two -one');

  const waits = failing('onFailure: undo\n').replace('use: acme.says, with: { word: -one,', 'use: gate.approve, with: { show: "-one",');
  const asked = await world.start(waits.replace('show: "-one", file: "${{ params.file }}"', 'show: "say -one"'), { file: 'asked.txt' });
  const { view } = await world.until(asked, (snapshot) => snapshot.view.state === 'approval');
  expect(view.undo).toMatchObject({ state: 'approval', asks: ['undo_one'] });
  expect((await world.portolan(['status', asked])).out).toContain(`portolan approve ${asked}.undo undo_one`);
  await world.portolan(['cancel', asked]);
  expect((await world.ended(asked)).view).toMatchObject({ state: 'cancelled', undo: { state: 'cancelled' } });
  expect((await world.ended(`${asked}.undo`)).view.state).toBe('cancelled');
  expect(await said('asked.txt')).toBe('one two -two');
});

test('a rerun does again what was taken back, and takes over the rest', async () => {
  const file = (fails: boolean): string => `name: again
params: { file: { type: string } }
steps:
  kept: { use: acme.says, with: { word: kept, file: "\${{ params.file }}" } }
  one: { use: acme.says, needs: [kept], with: { word: one, file: "\${{ params.file }}" }, undo: { use: acme.says, with: { word: -one, file: "\${{ params.file }}" } } }
  two: { use: acme.says, needs: [one], with: { word: two, file: "\${{ params.file }}", fails: ${fails} } }
onFailure: undo
`;
  const path = await world.write('pipelines/again.yaml', file(true));
  const failed = await world.startFile(path, { file: 'again.txt' });
  expect((await world.ended(failed)).view.state).toBe('failed');
  expect(await said('again.txt')).toBe('kept one -one');
  await world.write('pipelines/again.yaml', file(false));
  const said2 = await world.portolan(['rerun', failed, '--json']);
  expect(said2.code).toBe(0);
  const [reuse] = said2.out.split('\n').map((line) => JSON.parse(line || '{}') as { type?: string; steps?: unknown });
  expect(reuse).toMatchObject({
    type: 'reuse',
    steps: [
      { step: 'kept', reused: true },
      { step: 'one', reused: false, why: `undone by ${failed}.undo` },
      { step: 'two', reused: false },
    ],
  });
  expect(await said('again.txt')).toBe('kept one -one one two');
});
