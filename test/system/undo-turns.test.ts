import { expect, test } from 'vitest';
import { useWorld } from './support.ts';
import { usePosts } from './support-posts.ts';

const world = useWorld();
const posts = usePosts(world);

const head = (name: string): string => `name: ${name}\nparams: { url: { type: string } }\nsteps:\n`;
const url = '"${{ params.url }}"';
const once = (name: string, use = 'acme.once', needs = ''): string =>
  `{ use: ${use}, ${needs}with: { url: ${url}, name: "\${{ ${name} }}" } }`;
const params = (): Record<string, string> => ({ url: posts.url() });

const backByRows = `undo:
      forEach: { rows: "\${{ steps.each.results }}", key: n, as: row }
      steps: { back: ${once("'not-' + row.n")} }
`;

/** What is received by a rerun of a run that was taken back, and how that ends. */
async function undoneAndRerun(file: string): Promise<{ code: number; stays: string | undefined; received: string[] }> {
  const run = await world.startFile(file, params());
  await world.ended(run);
  const undone = await world.portolan(['undo', run]);
  expect(undone.code).toBe(0);
  posts.refuse();
  const before = posts.received().length;
  const { code } = await world.portolan(['rerun', run, '--from', 'each']);
  const stays = undone.out.split('what stays\n')[1]?.split('\n')[0]?.trim();
  return { code, stays, received: posts.received().slice(before).toSorted() };
}

test.each([
  ['a list', 'items: [a, b, c]', 'n'],
  ['rows', 'rows: names.csv, key: name', 'n.name'],
])(
  'a rerun does the turns again that were taken back by their rows, and of one that failed nothing that it had done: of %s',
  async (_, over, name) => {
    posts.refuse('b2');
    await world.write('pipelines/names.csv', 'name\na\nb\nc\n');
    const file = await world.write(
      'pipelines/turns.yaml',
      `${head('turns')}  each:
    forEach: { ${over}, as: n, parallel: 1 }
    tolerate: { failed: 50% }
    steps:
      one: ${once(`${name} + '1'`)}
      two: ${once(`${name} + '2'`, 'acme.posts', 'needs: [one], ')}
    outputs: { n: "\${{ ${name} }}" }
    ${backByRows}`,
    );
    const { code, received, stays } = await undoneAndRerun(file);
    expect([code, received]).toEqual([0, ['a1', 'a2', 'b2', 'c1', 'c2']]);
    expect(stays).toMatch(/^each +what 1 turn had done that failed/);
  },
);

test('an undo that does not go over the rows of its loop takes back all of it: a rerun does every turn again', async () => {
  posts.refuse('b2');
  const file = await world.write(
    'pipelines/whole.yaml',
    `${head('whole')}  each:
    forEach: { items: [a, b], as: n, parallel: 1 }
    tolerate: { failed: 50% }
    steps:
      one: ${once("n + '1'")}
      two: ${once("n + '2'", 'acme.posts', 'needs: [one], ')}
    outputs: { n: "\${{ n }}" }
    undo: ${once("'not-' + string(steps.each.count)")}
`,
  );
  const { code, received, stays } = await undoneAndRerun(file);
  expect([code, received, stays]).toEqual([0, ['a1', 'a2', 'b1', 'b2'], undefined]);
});

test('a pipeline that was taken back is done again in a rerun, also in a turn of a loop; one whose turn failed takes over what it had done', async () => {
  await world.write(
    'pipelines/both.yaml',
    `name: both
params: { url: { type: string }, n: { type: string } }
steps:
  one: ${once("params.n + '1'")}
  two: ${once("params.n + '2'", 'acme.posts', 'needs: [one], ')}
outputs: { n: "\${{ steps.two.said }}" }
`,
  );
  const both = (name: string): string => `{ use: ./both.yaml, with: { url: ${url}, n: ${name} }`;
  posts.refuse('last');
  const alone = await world.write(
    'pipelines/alone.yaml',
    `${head('alone')}  each: ${both('z')}, undo: ${once("'not-' + steps.each.n")} }
  last: ${once("'last'", 'acme.posts', 'needs: [each], ')}
`,
  );
  expect(await undoneAndRerun(alone)).toMatchObject({ code: 0, received: ['last', 'z1', 'z2'] });
  posts.refuse('b2');
  const inLoop = await world.write(
    'pipelines/in-loop.yaml',
    `${head('in-loop')}  each:
    forEach: { items: [a, b], as: n, parallel: 1 }
    tolerate: { failed: 50% }
    steps: { load: ${both('"${{ n }}"')} } }
    outputs: { n: "\${{ steps.load.n }}" }
    ${backByRows}`,
  );
  expect(await undoneAndRerun(inLoop)).toMatchObject({ code: 0, received: ['a1', 'a2', 'b2'] });
});
