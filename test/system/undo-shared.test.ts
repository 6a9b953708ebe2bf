import { expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { usePosts } from './support-posts.ts';
import { post, turns, url } from './support-undone-turns.ts';

const world = useWorld();
const posts = usePosts(world);

const params = (): Record<string, string> => ({ url: posts.url() });

/** With an undo over a list, where it is not over rows. */
const byItems = (kind: string, file: string): string =>
  kind === 'rows'
    ? file
    : file.replace('{ rows: "${{ steps.each.results }}", key: n, as: row', '{ items: "${{ steps.each.rows }}", as: row');

const list = (...each: string[]): string => turns(`items: [${each.join(', ')}]`, 'n');

async function startOf(file: string): Promise<string> {
  const run = await world.startFile(await world.pipeline(file), params());
  await world.ended(run);
  return run;
}

/** A rerun of a run from its loop on, over others. */
async function over(run: string, file: string): Promise<string> {
  const { code, out } = await world.portolan(['rerun', run, '--from', 'each', '--file', await world.pipeline(file), '--json']);
  expect(code).toBe(0);
  return runOf(out);
}

const runOf = (out: string): string => (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run;

async function twoRuns(file: string, other: string): Promise<[first: string, second: string]> {
  const first = await startOf(file);
  return [first, await over(first, other)];
}

const sending =
  (verb: string) =>
  async (...argv: string[]) => {
    const before = posts.received().length;
    const said = await world.portolan([verb, ...argv]);
    return { ...said, received: posts.received().slice(before) };
  };
const undo = sending('undo');
const rerun = sending('rerun');

test('what was taken back in part with another run is not taken for done by a rerun', async () => {
  const [first, second] = await twoRuns(list('x', 'y'), list('y', 'z'));
  expect(await undo(first, '--accept', second)).toMatchObject({ code: 0, received: ['not-x', 'not-y'] });
  const asked = await rerun(second, '--from', 'each');
  expect(asked).toMatchObject({ code: 2, received: [], err: expect.stringContaining(`${first}.undo has taken back a part of step each`) });
  expect(asked.err).toContain(`portolan undo ${second})`);
  expect(await undo(second)).toMatchObject({ code: 0, received: ['not-z'] });
  expect(await rerun(second, '--from', 'each')).toMatchObject({ code: 0, received: ['y', 'y2', 'z', 'z2'] });
});

test('what takes a loop back all at once takes back what both runs did', async () => {
  const one = (...each: string[]): string => list(...each).replace(/undo:\n[^]*$/, `undo: ${post('not-all')}\n`);
  const [first, second] = await twoRuns(one('x', 'y'), one('y', 'z'));
  expect(await undo(first, '--accept', second)).toMatchObject({ code: 0, received: ['not-all'] });
  expect(await undo(second)).toMatchObject({ code: 0, received: ['not-all'] });
});

test.each(['rows', 'items'])('of three runs that share a loop over %s in parts each item is taken back once', async (kind) => {
  const file = (...each: string[]): string => byItems(kind, list(...each));
  const [first, second] = await twoRuns(file('x', 'y'), file('y', 'z'));
  const third = await over(second, file('z', 'w'));
  expect(await undo(first, '--accept', second, '--accept', third)).toMatchObject({ code: 0, received: ['not-x', 'not-y'] });
  expect(await undo(third)).toMatchObject({ code: 0, received: ['not-z', 'not-w'] });
  expect(await undo(second)).toMatchObject({ code: 0, received: [] });
});

test.each(['rows', 'items'])('an undo over %s that failed knows what was taken back with another run since', async (kind) => {
  const [first, second] = await twoRuns(byItems(kind, list('x', 'y')), byItems(kind, list('w', 'z', 'y')));
  posts.refuse('not-w');
  expect(await undo(second)).toMatchObject({ code: 1, received: ['not-w'] });
  posts.refuse();
  const settled = kind === 'rows' ? ['--fate', 'w=again'] : [];
  expect(await undo(first, '--accept', second, ...settled)).toMatchObject({ code: 0, received: ['not-x', 'not-y'] });
  expect(await undo(second, '--fate', kind === 'rows' ? 'w=again' : 'undo_each[0].back=again')).toMatchObject({
    code: 0,
    received: ['not-w', 'not-z'],
  });
});

test('an undo over items says how it goes on where the undo of another run may have done one of them', async () => {
  const [first, second] = await twoRuns(byItems('items', list('x', 'y')), byItems('items', list('z', 'y')));
  posts.refuse('not-y');
  expect(await undo(first, '--accept', second)).toMatchObject({ code: 1, received: ['not-x', 'not-y'] });
  posts.refuse();
  const asked = await undo(second);
  expect(asked).toMatchObject({ code: 1, received: ['not-z'] });
  expect(asked.out).toContain(`portolan undo ${second} --fate 'undo_each[1].back=again'`);
  expect(await undo(second, '--fate', 'undo_each[1].back=again')).toMatchObject({ code: 0, received: ['not-y'] });
});

test('a rerun asks of a step whose undo failed also where the run before did not come to it', async () => {
  const own = `  own: { use: acme.posts, with: { url: ${url}, name: own } }`;
  const file = list('x', 'y').replace('steps:', `steps:\n${own}`).replace('  each:\n', '  each:\n    needs: [own]\n');
  const first = await startOf(file);
  posts.refuse('own');
  const second = runOf((await rerun(first, '--from', 'own', '--json')).out);
  posts.refuse('not-y');
  expect(await undo(first)).toMatchObject({ code: 1, received: ['not-x', 'not-y'] });
  posts.refuse();
  const asked = await rerun(second);
  expect(asked).toMatchObject({
    code: 2,
    received: [],
    err: expect.stringContaining(`how much of step each ${first}.undo has taken back`),
  });
  expect(asked.err).toContain(`portolan undo ${first})`);
  expect(await undo(first, '--fate', 'y=again')).toMatchObject({ code: 0, received: ['not-y'] });
  expect(await rerun(second)).toMatchObject({ code: 0, received: ['own', 'x', 'x2', 'y', 'y2'] });
});

test('what a person said of a step whose undo failed holds for the runs that stand on it, and for their undo', async () => {
  const first = await startOf(list('x', 'y'));
  posts.refuse('not-y');
  expect(await undo(first)).toMatchObject({ code: 1, received: ['not-x', 'not-y'] });
  posts.refuse();
  const { out } = await rerun(first, '--from', 'each', '--fate', 'each=done', '--json');
  const second = runOf(out);
  const third = await rerun(second, '--from', 'each', '--json');
  expect(third).toMatchObject({ code: 0, received: ['x2', 'y2'] });
  expect(await undo(runOf(third.out))).toMatchObject({ code: 0, received: ['not-x', 'not-y'] });
});

/** A run whose step is a pipeline of which the second step is refused. */
async function withStep(): Promise<string> {
  await world.write(
    'pipelines/inner.yaml',
    `name: inner
params: { url: { type: string } }
steps:
  zero: { use: acme.posts, with: { url: ${url}, name: zero } }
  one: { use: acme.once, needs: [zero], with: { url: ${url}, name: one }, undo: ${post('not-one')} }
  two: { use: acme.posts, needs: [one], with: { url: ${url}, name: two } }
`,
  );
  const file = await world.write(
    'pipelines/outer.yaml',
    `name: outer\nparams: { url: { type: string } }\nsteps: { sub: { use: ./inner.yaml, with: { url: ${url} } } }\n`,
  );
  posts.refuse('two', 'not-one');
  const run = await world.startFile(file, params());
  await world.ended(run);
  return run;
}

test('the run of a step asks also of what it had reused, where the undo of that failed', async () => {
  const first = await withStep();
  const second = runOf((await rerun(first, '--json')).out);
  expect(await undo(`${first}.sub`)).toMatchObject({ code: 1, received: ['not-one'] });
  posts.refuse();
  const asked = await rerun(second);
  expect(asked).toMatchObject({ code: 1, received: [] });
  expect(asked.out).toContain(`portolan undo ${first}.sub)`);
  expect(await undo(`${first}.sub`, '--fate', 'undo_one=again')).toMatchObject({ code: 0, received: ['not-one'] });
  expect(await rerun(second)).toMatchObject({ code: 0, received: ['one', 'two'] });
});

test('the run of a step goes on once a person has said what became of its undo', async () => {
  const first = await withStep();
  expect(await undo(`${first}.sub`)).toMatchObject({ code: 1, received: ['not-one'] });
  posts.refuse('two');
  expect((await rerun(first)).out).toContain(`portolan rerun ${first}.sub --fate one=done`);
  const own = await rerun(`${first}.sub`, '--from', 'zero', '--fate', 'one=done', '--json');
  expect(own).toMatchObject({ code: 1, received: ['zero', 'two'] });
  posts.refuse();
  expect(await rerun(first)).toMatchObject({ code: 0, received: ['two'] });
});

test('the run of a step that is done goes on by the command that is named', async () => {
  await world.write(
    'pipelines/done.yaml',
    `name: done\nparams: { url: { type: string } }\nsteps: { one: { use: acme.once, with: { url: ${url}, name: one }, undo: ${post('not-one')} } }\n`,
  );
  const file = await world.write(
    'pipelines/above.yaml',
    `name: above
params: { url: { type: string } }
steps:
  sub: { use: ./done.yaml, with: { url: ${url} } }
  last: { use: acme.posts, needs: [sub], with: { url: ${url}, name: last } }
`,
  );
  posts.refuse('last', 'not-one');
  const first = await world.startFile(file, params());
  await world.ended(first);
  expect(await undo(`${first}.sub`)).toMatchObject({ code: 1, received: ['not-one'] });
  posts.refuse();
  const asked = await rerun(first, '--from', 'sub');
  expect(asked).toMatchObject({ code: 1, received: [] });
  expect(asked.out).toContain(`portolan rerun ${first}.sub --from one --fate one=done`);
  expect(await rerun(`${first}.sub`, '--from', 'one', '--fate', 'one=done')).toMatchObject({ code: 0, received: [] });
  expect(await rerun(first, '--from', 'sub')).toMatchObject({ code: 0, received: ['last'] });
});
