import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { usePosts } from './support-posts.ts';
import { post, turns, url } from './support-undone-turns.ts';

const world = useWorld();
const posts = usePosts(world);

const params = (): Record<string, string> => ({ url: posts.url() });

const single = `name: single
params: { url: { type: string } }
steps:
  first: ${post('first', 'acme.posts')}
  one: { use: acme.once, needs: [first], with: { url: ${url}, name: one }, undo: ${post('not-one')} }
`;

beforeAll(() => world.write('pipelines/names.csv', 'name\na\nb\n'));

/** A run, and a rerun of it that does everything again but what may be done once. */
async function twoRuns(file: string, from: string, changed?: () => Promise<string>): Promise<{ first: string; second: string }> {
  const first = await world.startFile(await world.pipeline(file), params());
  await world.ended(first);
  posts.refuse();
  const other = changed ? ['--file', await changed()] : [];
  const { code, out } = await world.portolan(['rerun', first, '--from', from, ...other, '--json']);
  expect(code).toBe(0);
  return { first, second: (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run };
}

const undo = async (...argv: string[]) => {
  const before = posts.received().length;
  const said = await world.portolan(['undo', ...argv]);
  return { ...said, received: posts.received().slice(before) };
};

test.each([
  ['a step', single, 'first', ['not-one']],
  ['a loop over a list', turns('items: [a, b]', 'n'), 'each', ['not-a', 'not-b']],
  ['a loop over rows', turns('rows: names.csv, key: name', 'n.name'), 'each', ['not-a', 'not-b']],
])('what a rerun took over of %s is taken back once, whichever of both runs is taken back first', async (_, file, from, back) => {
  const { first, second } = await twoRuns(file, from);
  const refused = await undo(first);
  expect([refused.code, refused.received, refused.err]).toEqual([2, [], expect.stringContaining(`run ${second} (done) took over`)]);
  expect(await undo(second)).toMatchObject({ code: 0, received: back });
  const again = await undo(first);
  expect([again.code, again.received, again.err]).toEqual([0, [], '']);
  expect(again.out).toContain(`${second}.undo has taken it back`);
  expect(again.out).toContain(`run ${first} is undone: ${second}.undo`);

  const other = await twoRuns(file, from);
  expect(await undo(other.first, '--accept', other.second)).toMatchObject({ code: 0, received: back });
  expect(await undo(other.second)).toMatchObject({ code: 0, received: [] });
  // What was taken back is done again.
  const before = posts.received().length;
  expect((await world.portolan(['rerun', other.second, '--from', from])).code).toBe(0);
  expect(posts.received().slice(before)).toContain(back[0]!.replace('not-', ''));
});

test('a turn that failed in the run that was taken back is taken back with the rerun that has done it', async () => {
  posts.refuse('b2');
  const { first, second } = await twoRuns(turns('rows: names.csv, key: name', 'n.name'), 'each');
  expect(await undo(first, '--accept', second)).toMatchObject({ code: 0, received: ['not-a'] });
  expect(await undo(second)).toMatchObject({ code: 0, received: ['not-b'] });
});

test.each(['a list', 'rows'])('of a loop over %s whose rerun went over others as well each item is taken back once', async (over) => {
  const name = over === 'rows' ? 'n.name' : 'n';
  const names = (...each: string[]): Promise<string> => world.write('pipelines/moved.csv', `name\n${each.join('\n')}\n`);
  const own = `own: { use: acme.posts, with: { url: ${url}, name: own }, undo: ${post('not-own')} }`;
  const file = (...each: string[]): string =>
    turns(over === 'rows' ? 'rows: moved.csv, key: name' : `items: [${each.join(', ')}]`, name).replace('steps:', `steps:\n  ${own}`);
  for (const order of ['first', 'second']) {
    await names('x', 'y');
    const { first, second } = await twoRuns(file('x', 'y'), 'own', async () => {
      await names('y', 'z');
      return world.pipeline(file('y', 'z'));
    });
    const taken = order === 'first' ? [[first, '--accept', second], [second]] : [[second], [first]];
    const [one, two] = [await undo(...taken[0]!), await undo(...taken[1]!)];
    expect([one.code, two.code, [...one.received, ...two.received].toSorted()]).toEqual([
      0,
      0,
      ['not-own', 'not-own', 'not-x', 'not-y', 'not-z'],
    ]);
    expect(await undo(...taken[1]!)).toMatchObject({ code: 0, received: [] });
  }
});

test('a row that was taken back with the rerun that had taken it over is done again, whatever the run before knows of it', async () => {
  await world.write('pipelines/later.csv', 'name\nx\n');
  const { second } = await twoRuns(turns('rows: later.csv, key: name', 'n.name'), 'each');
  expect(await undo(second)).toMatchObject({ code: 0, received: ['not-x'] });
  await world.write('pipelines/later.csv', 'name\nz\nx\n');
  const before = posts.received().length;
  expect((await world.portolan(['rerun', second, '--from', 'each'])).code).toBe(0);
  expect(posts.received().slice(before)).toEqual(['z', 'z2', 'x', 'x2']);
});

test('an undo of a loop that another run shares in part goes on after it failed', async () => {
  const { first, second } = await twoRuns(turns('items: [x, y]', 'n'), 'each', () => world.pipeline(turns('items: [y, z]', 'n')));
  posts.refuse('not-y');
  expect(await undo(first, '--accept', second)).toMatchObject({ code: 1, received: ['not-x', 'not-y'] });
  posts.refuse();
  const asked = await undo(second);
  expect(asked).toMatchObject({ code: 2, received: [], err: expect.stringContaining(`run ${first}.undo may have done 'y'`) });
  expect(await undo(second, '--fate', 'y=again')).toMatchObject({ code: 0, received: ['not-y', 'not-z'] });
  expect(await undo(first, '--fate', 'y=done')).toMatchObject({ code: 0, received: [] });
});

test('of a loop whose undo failed on the way a person says what stands, or the undo goes on, before a rerun', async () => {
  const halfUndone = async (): Promise<string> => {
    posts.refuse();
    const run = await world.startFile(await world.pipeline(turns('rows: names.csv, key: name', 'n.name')), params());
    await world.ended(run);
    posts.refuse('not-b');
    expect(await undo(run)).toMatchObject({ code: 1, received: ['not-a', 'not-b'] });
    posts.refuse();
    return run;
  };
  const rerun = async (...argv: string[]) => {
    const before = posts.received().length;
    return { ...(await world.portolan(['rerun', ...argv])), received: posts.received().slice(before) };
  };
  const run = await halfUndone();
  const asked = await rerun(run, '--from', 'each');
  expect(asked).toMatchObject({ code: 2, received: [], err: expect.stringContaining(`how much of step each ${run}.undo has taken back`) });
  expect(asked.err).toContain(`portolan undo ${run})`);
  expect(await undo(run, '--fate', 'b=again')).toMatchObject({ code: 0, received: ['not-b'] });
  expect(await rerun(run, '--from', 'each')).toMatchObject({ code: 0, received: ['a', 'a2', 'b', 'b2'] });

  expect(await rerun(await halfUndone(), '--from', 'each', '--fate', 'each=done')).toMatchObject({ code: 0, received: [] });
  expect(await rerun(await halfUndone(), '--from', 'each', '--fate', 'each=again')).toMatchObject({
    code: 0,
    received: ['a', 'a2', 'b', 'b2'],
  });
});

test('what a run of a step had taken over, and was taken back since, is done again by the next rerun', async () => {
  await world.write(
    'pipelines/inner.yaml',
    `name: inner
params: { url: { type: string } }
steps:
  one: { use: acme.posts, with: { url: ${url}, name: one }, undo: ${post('not-one')} }
  two: { use: acme.posts, needs: [one], with: { url: ${url}, name: two } }
`,
  );
  posts.refuse('two');
  const file = await world.write(
    'pipelines/outer.yaml',
    `name: outer\nparams: { url: { type: string } }\nsteps: { sub: { use: ./inner.yaml, with: { url: ${url} } } }\n`,
  );
  const first = await world.startFile(file, params());
  await world.ended(first);
  const { out } = await world.portolan(['rerun', first, '--json']);
  const second = (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run;
  expect(posts.received()).toEqual(['one', 'two', 'two']);
  expect(await undo(`${first}.sub`)).toMatchObject({ code: 0, received: ['not-one'] });
  posts.refuse();
  expect((await world.portolan(['rerun', second])).code).toBe(0);
  expect(posts.received().slice(4)).toEqual(['one', 'two']);
});

test('the run of a step whose undo failed is not gone on with before somebody says what stands', async () => {
  await world.write(
    'pipelines/inner.yaml',
    `name: inner
params: { url: { type: string } }
steps:
  one: { use: acme.once, with: { url: ${url}, name: one }, undo: ${post('not-one')} }
  two: { use: acme.posts, needs: [one], with: { url: ${url}, name: two } }
`,
  );
  posts.refuse('two', 'not-one');
  const file = await world.write(
    'pipelines/outer.yaml',
    `name: outer\nparams: { url: { type: string } }\nsteps: { sub: { use: ./inner.yaml, with: { url: ${url} } } }\n`,
  );
  const first = await world.startFile(file, params());
  await world.ended(first);
  expect(await undo(`${first}.sub`)).toMatchObject({ code: 1, received: ['not-one'] });
  posts.refuse();
  const asked = await world.portolan(['rerun', first]);
  expect(asked.code).toBe(1);
  expect(asked.out).toContain(`how much of step one ${first}.sub.undo has taken back`);
  expect(posts.received()).toEqual(['one', 'two', 'not-one']);
  expect(await undo(`${first}.sub`, '--fate', 'undo_one=again')).toMatchObject({ code: 0, received: ['not-one'] });
  expect((await world.portolan(['rerun', first])).code).toBe(0);
  expect(posts.received().slice(4)).toEqual(['one', 'two']);
});
