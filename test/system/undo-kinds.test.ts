import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { usePosts } from './support-posts.ts';

const world = useWorld();
const posts = usePosts(world);

const head = (name: string): string => `name: ${name}\nparams: { url: { type: string } }\nsteps:\n`;
const url = '"${{ params.url }}"';
const post = (name: string, use = 'acme.posts'): string => `{ use: ${use}, with: { url: ${url}, name: ${name} } }`;
const params = (): Record<string, string> => ({ url: posts.url() });

test('a loop over rows is taken back row by row by the table of what its turns gave, and a rerun does its rows again', async () => {
  await world.write('pipelines/guests.csv', 'name\nant\nbee\ncat\n');
  const path = await world.write(
    'pipelines/rows.yaml',
    `${head('rows')}  each:
    forEach: { rows: guests.csv, key: name, as: guest }
    steps: { send: ${post('"${{ guest.name }}"', 'acme.once')} }
    outputs: { said: "\${{ steps.send.said }}" }
    undo:
      forEach: { rows: "\${{ steps.each.results }}", key: said, as: row }
      steps: { back: ${post(`"\${{ 'not-' + row.said }}"`, 'acme.once')} }
  last: { use: acme.posts, needs: [each], with: { url: ${url}, name: last } }
onFailure: undo
`,
  );
  posts.refuse('last');
  const run = await world.startFile(path, params());
  expect((await world.ended(run)).view).toMatchObject({ state: 'failed', error: { step: 'last' }, undo: { state: 'done' } });
  expect(posts.received().toSorted()).toEqual(['ant', 'bee', 'cat', 'last', 'not-ANT', 'not-BEE', 'not-CAT']);
  const items = (await world.portolan(['items', `${run}.undo`, '--step', 'undo_each', '--json'])).out;
  expect(items.trim().split('\n')).toHaveLength(3);

  posts.refuse();
  const before = posts.received().length;
  const again = await world.portolan(['rerun', run, '--json']);
  expect([again.code, again.err]).toEqual([0, '']);
  // What is done once only was taken back: nobody need be asked.
  expect(posts.received().slice(before).toSorted()).toEqual(['ant', 'bee', 'cat', 'last']);
});

test('a list that stands in the run store is read by the undo, and a pipeline takes a step back', async () => {
  await world.write(
    'pipelines/back.yaml',
    `name: back\nparams: { url: { type: string }, name: { type: string } }\nsteps:\n  one: { use: acme.posts, with: { url: ${url}, name: "\${{ 'not-' + params.name }}" } }\n`,
  );
  const names = Array.from({ length: 150 }, (_, at) => `name-of-some-length-${at}`);
  const run = await world.start(
    `${head('large')}  each:
    forEach: { items: ${JSON.stringify(names)}, as: name, parallel: 20 }
    steps: { send: ${post('"${{ name }}"')} }
    outputs: { name: "\${{ name }}" }
    undo:
      forEach: { items: "\${{ steps.each.rows.filter(row, row.name.endsWith('9')) }}", as: row, parallel: 20 }
      steps: { back: ${post(`"\${{ 'not-' + row.name }}"`)} }
  one: { use: acme.posts, with: { url: ${url}, name: one }, undo: { use: ./back.yaml, with: { url: ${url}, name: "\${{ steps.one.said }}" } } }
`,
    params(),
  );
  expect((await world.ended(run)).view.state).toBe('done');
  const before = posts.received().length;
  const undone = await world.portolan(['undo', run, '--json']);
  expect([undone.code, undone.err]).toEqual([0, '']);
  const expected = [...names.filter((name) => name.endsWith('9')).map((name) => `not-${name}`), 'not-ONE'];
  expect(posts.received().slice(before).toSorted()).toEqual(expected.toSorted());
  expect((await world.ended(`${run}.undo`)).view.steps.find(({ id }) => id === 'undo_one')?.child).toMatchObject({
    run: `${run}.undo.undo_one`,
    state: 'done',
  });
});

test('a pipeline that is taken back where it fails does all of it again in the next try of its step', async () => {
  await world.write(
    'pipelines/inner.yaml',
    `name: inner\nparams: { url: { type: string } }\nsteps:\n  one: { use: acme.once, with: { url: ${url}, name: one }, undo: ${post('not-one')} }\n  two: { use: acme.posts, needs: [one], with: { url: ${url}, name: two } }\nonFailure: undo\n`,
  );
  posts.refuse('two');
  const run = await world.start(
    `${head('outer')}  sub: { use: ./inner.yaml, with: { url: ${url} }, onError: { else: { retry: 1, every: 1s } } }\n`,
    params(),
  );
  expect((await world.ended(run)).view).toMatchObject({ state: 'failed', error: { step: 'sub' } });
  expect(posts.received()).toEqual(['one', 'two', 'not-one', 'one', 'two', 'not-one']);
  // What a run of its own has done is taken back with that.
  const stays = await world.portolan(['undo', run]);
  expect([stays.code, stays.err]).toEqual([1, expect.stringContaining(`nothing of run ${run} can be undone`)]);
});

test('the run of a step is taken back by its own id, once the run above it has ended', async () => {
  await world.write(
    'pipelines/below.yaml',
    `name: below\nparams: { url: { type: string } }\nsteps:\n  one: { use: acme.posts, with: { url: ${url}, name: one }, undo: ${post('not-one')} }\n`,
  );
  const run = await world.start(
    `${head('beyond')}  sub: { use: ./below.yaml, with: { url: ${url} } }
  each: { needs: [sub], forEach: { items: [1] }, steps: { turn: { use: ./below.yaml, with: { url: ${url} } } } }
  ask: { use: gate.approve, needs: [each] }
`,
    params(),
  );
  await world.until(run, ({ view }) => view.state === 'approval');
  const early = await world.portolan(['undo', `${run}.sub`]);
  expect([early.code, early.err]).toEqual([2, expect.stringContaining(`it is the step sub of run ${run}, which has not ended`)]);
  await world.portolan(['approve', run, 'ask']);
  await world.ended(run);
  const { out } = await world.portolan(['undo', run]);
  expect(out).toContain(`it was run ${run}.sub: portolan undo ${run}.sub`);
  expect(out).toMatch(/each +nothing is said of its undo; the runs of its turns are taken back by their ids: portolan runs --children/);
  for (const id of [`${run}.sub`, `${run}.each-0-turn`]) expect((await world.portolan(['undo', id, '--json'])).code).toBe(0);
  expect(posts.received()).toEqual(['one', 'one', 'not-one', 'not-one']);
});

test('the run that takes another one back holds the key of that, and is steered like any other', async () => {
  const file = `${head('held')}  one: { use: acme.posts, with: { url: ${url}, name: one }, undo: { use: gate.approve, with: { show: call them } } }
concurrency: held-by-undo
`;
  const run = await world.start(file, params());
  await world.ended(run);
  const undo = await world.portolan(['undo', run, '--json']);
  expect(undo.code).toBe(3);
  const other = await world.portolan(['run', await world.pipeline(file), '-c', 'local', '-p', `url=${posts.url()}`, '--json']);
  expect(other.code).not.toBe(0);
  expect(other.err).toContain(`held-by-undo is held by run ${run}.undo`);
  const listed = (await world.portolan(['runs', '--json'])).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { run: string; undone?: object; origin?: object });
  expect(listed.find((line) => line.run === run)).toMatchObject({ undone: { run: `${run}.undo`, state: 'running' } });
  expect(listed.find((line) => line.run === `${run}.undo`)).toMatchObject({ origin: { command: 'undo', undoes: run } });
  await world.portolan(['pause', `${run}.undo`]);
  await world.portolan(['approve', `${run}.undo`, 'undo_one']);
  await world.portolan(['resume', `${run}.undo`]);
  expect((await world.ended(`${run}.undo`)).view).toMatchObject({ state: 'done', undoes: run });
  expect((await world.portolan(['runs'])).out).toContain(`undone by ${run}.undo`);
  expect((await world.portolan(['undo', `${run}.undo`])).err).toContain(`go on with it: portolan undo ${run}`);
  expect((await world.portolan(['rerun', `${run}.undo`])).err).toContain(`go on with it: portolan undo ${run}`);
});

test('a newer run of the key that cancels older ones waits for the end of an undo', async () => {
  const file = (more: string): string =>
    `${head('newer')}  one: { use: acme.posts, with: { url: ${url}, name: one }, undo: { use: gate.approve, with: { show: call them } } }
${more}concurrency: { key: newer-than-undo, when: cancelOlder }
`;
  const run = await world.start(file(''), params());
  await world.ended(run);
  expect((await world.portolan(['undo', run, '--json'])).code).toBe(3);
  const newer = await world.start(file(''), params());
  await world.until(newer, ({ view }) => view.queued?.holder?.run === `${run}.undo`);
  await world.portolan(['approve', `${run}.undo`, 'undo_one']);
  expect((await world.ended(`${run}.undo`)).view.state).toBe('done');
  expect((await world.ended(newer)).view.state).toBe('done');

  // The same of a run that is taken back before it ends, and holds the key itself.
  posts.refuse('two');
  const failed = await world.start(
    file(`  two: { use: acme.posts, needs: [one], with: { url: ${url}, name: two } }
onFailure: undo
`),
    params(),
  );
  await world.until(failed, ({ view }) => view.undo?.state === 'approval');
  const newest = await world.start(file(''), params());
  await world.until(newest, ({ view }) => view.queued?.holder?.run === failed);
  await world.portolan(['approve', `${failed}.undo`, 'undo_one']);
  expect((await world.ended(failed)).view).toMatchObject({ state: 'failed', error: { step: 'two' }, undo: { state: 'done' } });
  expect((await world.ended(newest)).view.state).toBe('done');
});

test('a report says that its run was taken back, and by which run', async () => {
  const run = await world.start(
    `${head('told')}  one: { use: acme.posts, with: { url: ${url}, name: one }, undo: ${post('not-one')} }\n`,
    params(),
  );
  await world.ended(run);
  expect((await world.portolan(['undo', run, '--detach'])).out).toContain(`${run}.undo runs`);
  await world.ended(`${run}.undo`);
  await world.portolan(['report', run]);
  const page = await readFile(world.store(run).path('report.html'), 'utf8');
  expect(page).toContain(`undone by ${run}.undo`);
  expect(page).toContain('undo: acme.posts');
});
