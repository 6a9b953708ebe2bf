import { beforeAll, expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { usePosts } from './support-posts.ts';

const world = useWorld();
const posts = usePosts(world);

const url = '"${{ params.url }}"';
const post = (name: string, use = 'acme.once', needs = ''): string => `{ use: ${use}, ${needs}with: { url: ${url}, name: ${name} } }`;
const params = (): Record<string, string> => ({ url: posts.url() });

const single = `name: single
params: { url: { type: string } }
steps:
  first: ${post('first', 'acme.posts')}
  one: { use: acme.once, needs: [first], with: { url: ${url}, name: one }, undo: ${post('not-one')} }
`;
const turns = (over: string, name: string): string => `name: turns
params: { url: { type: string } }
steps:
  each:
    forEach: { ${over}, as: n, parallel: 1 }
    tolerate: { failed: 50% }
    steps: { one: ${post(`"\${{ ${name} }}"`)}, two: ${post(`"\${{ ${name} + '2' }}"`, 'acme.posts', 'needs: [one], ')} }
    outputs: { n: "\${{ ${name} }}" }
    undo:
      forEach: { rows: "\${{ steps.each.results }}", key: n, as: row, parallel: 1 }
      steps: { back: ${post('"${{ \'not-\' + row.n }}"')} }
`;

beforeAll(() => world.write('pipelines/names.csv', 'name\na\nb\n'));

/** A run, and a rerun of it that does everything again but what may be done once. */
async function twoRuns(file: string, from: string): Promise<{ first: string; second: string }> {
  const first = await world.startFile(await world.pipeline(file), params());
  await world.ended(first);
  posts.refuse();
  const { code, out } = await world.portolan(['rerun', first, '--from', from, '--json']);
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
  expect(await undo(second)).toMatchObject({ code: 0, received: expect.arrayContaining(['not-b']) });
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
