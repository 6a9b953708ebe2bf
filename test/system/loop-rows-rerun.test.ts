import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';
import { namesTable, usePosts } from './support-posts.ts';

const world = useWorld();
const posts = usePosts(world);

const pipeline = (rows: string, use: string, name = '${{ item.name }}'): string => `
name: again
params: { url: { type: string } }
steps:
  all:
    forEach: { rows: ${rows}, key: name, parallel: 1 }
    steps:
      post: { use: ${use}, with: { url: "\${{ params.url }}", name: "${name}" } }
      then: { use: acme.posts, with: { url: "\${{ params.url }}", name: "\${{ 'then-' + item.name }}" } }
    outputs: { said: "\${{ steps.then.said }}" }
outputs: { said: "\${{ steps.all.rows.map(row, row.said) }}" }
`;

type Rerun = { code: number; out: string; err: string; outputs: unknown };
async function rerun(run: string, ...more: string[]): Promise<Rerun> {
  const said = await world.portolan(['rerun', run, '--json', ...more]);
  const last = said.out === '' ? {} : (JSON.parse(said.out.trim().split('\n').at(-1)!) as { outputs?: unknown });
  return { ...said, outputs: last.outputs };
}

const said = ['ant', 'bee', 'cat'].map((name) => `THEN-${name.toUpperCase()}`);

test.each(['acme.once', 'acme.posts'])(
  'a rerun does no row again that is done, nor what the steps of one that failed have done: %s',
  async (use) => {
    posts.refuse('then-bee');
    const file = pipeline(await namesTable(world, ['ant', 'bee', 'cat']), use);
    const { result } = await world.run(file, { url: posts.url() });
    expect(result.state).toBe('failed');
    expect(posts.received()).toEqual(['ant', 'then-ant', 'bee', 'then-bee']);
    posts.refuse();
    expect(await rerun(result.run)).toMatchObject({ code: 0, outputs: { said } });
    expect(posts.received().slice(4)).toEqual(['then-bee', 'cat', 'then-cat']);
  },
);

test('a run that was rerun knows in its next rerun what the one before it has done of each row', async () => {
  posts.refuse('then-bee');
  const file = pipeline(await namesTable(world, ['ant', 'bee', 'cat']), 'acme.once');
  const { result } = await world.run(file, { url: posts.url() });
  posts.refuse('then-cat');
  expect((await rerun(result.run)).code).toBe(1);
  expect(posts.received().slice(4)).toEqual(['then-bee', 'cat', 'then-cat']);
  posts.refuse();
  expect(await rerun(result.run)).toMatchObject({ code: 0, outputs: { said } });
  expect(posts.received().slice(7)).toEqual(['then-cat']);
});

test('before it begins a rerun says whether the rows of a loop that are done are done again', async () => {
  const whyOf = ({ out }: Rerun): unknown => {
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type?: string; steps?: { step: string; why: string }[] });
    return lines.find(({ type }) => type === 'reuse')?.steps;
  };
  const names = await namesTable(world, ['ant', 'bee', 'cat']);
  const again = 'every row again, also those that are done: its steps may be repeated';
  const taken = 'rows that are done are taken over, where they and their steps are what they were';
  for (const { use, refuses, from, why, does } of [
    { use: 'acme.posts', refuses: [], from: ['--from', 'all'], why: `named by --from; ${again}`, does: 6 },
    { use: 'acme.once', refuses: [], from: ['--from', 'all'], why: `named by --from; ${taken}`, does: 0 },
    { use: 'acme.posts', refuses: ['then-cat'], from: [], why: `it failed; ${taken}`, does: 1 },
  ]) {
    posts.refuse(...refuses);
    const { result } = await world.run(pipeline(names, use), { url: posts.url() });
    posts.refuse();
    const before = posts.received().length;
    const said = await rerun(result.run, ...from);
    expect([said.code, whyOf(said)]).toEqual([0, [{ step: 'all', reused: false, why }]]);
    expect(posts.received().slice(before)).toHaveLength(does);
  }
});

test('a row that may have been done is asked of a person, and what that one says holds', async () => {
  posts.refuse('bee');
  const file = pipeline(await namesTable(world, ['ant', 'bee', 'cat']), 'acme.once');
  // However many may fail: of this one nobody knows.
  const lenient = file.replace('    steps:', '    tolerate: { failed: 100% }\n    steps:');
  const { result } = await world.run(lenient, { url: posts.url() });
  expect(result).toMatchObject({ state: 'failed', error: { type: 'Undecided' } });
  posts.refuse();
  expect(await rerun(result.run)).toMatchObject({ code: 2, err: expect.stringContaining("may have done 'bee'") });
  expect(posts.received()).toEqual(['ant', 'then-ant', 'bee']);
  expect(await rerun(result.run, '--fate', 'bee=again')).toMatchObject({ code: 0, outputs: { said } });
  expect(posts.received().slice(3)).toEqual(['bee', 'then-bee', 'cat', 'then-cat']);
});

test('of a row that is called as something of JavaScript is, nothing is said unless a person says it', async () => {
  posts.refuse('constructor');
  const file = pipeline(await namesTable(world, ['constructor', 'cat']), 'acme.once');
  const { result } = await world.run(file, { url: posts.url() });
  expect(result).toMatchObject({ state: 'failed', error: { type: 'Undecided' } });
  posts.refuse();
  expect(await rerun(result.run, '--fate', 'cat=again')).toMatchObject({
    code: 2,
    err: expect.stringContaining("may have done 'constructor'"),
  });
  expect(posts.received()).toEqual(['constructor']);
});

test('rows that were added since are done, and a row with another content is refused where a repeat would be a second effect', async () => {
  const rows = await namesTable(world, ['ant', 'bee']);
  posts.refuse('then-bee');
  const { result } = await world.run(pipeline(rows, 'acme.once'), { url: posts.url() });
  posts.refuse();
  await appendFile(rows, 'cat,2\n');
  const grown = await rerun(result.run);
  expect(grown).toMatchObject({ code: 0, outputs: { said } });
  expect(posts.received().slice(4)).toEqual(['then-bee', 'cat', 'then-cat']);
  await writeFile(rows, (await readFile(rows, 'utf8')).replace('bee,1', 'bee,9'));
  const run = (JSON.parse(grown.out.trim().split('\n').at(-1)!) as { run: string }).run;
  expect(await rerun(run, '--from', 'all')).toMatchObject({ code: 1, out: expect.stringContaining("row 'bee' was done by run") });
  expect(posts.received()).toHaveLength(7);
  expect(await rerun(run, '--from', 'all', '--fate', 'bee=again')).toMatchObject({ code: 0 });
  expect(posts.received().slice(7)).toEqual(['bee', 'then-bee']);
});

test('a row that the last run had not, and one before it had done, is not done again', async () => {
  const rows = await namesTable(world, ['ant', 'bee']);
  const { result } = await world.run(pipeline(rows, 'acme.once'), { url: posts.url() });
  const whole = await readFile(rows, 'utf8');
  const next = async (run: string, text: string): Promise<Rerun & { run: string }> => {
    await writeFile(rows, text);
    const said = await rerun(run, '--from', 'all');
    return { ...said, run: (JSON.parse(said.out.trim().split('\n').at(-1)!) as { run: string }).run };
  };
  const second = await next(result.run, 'name,number\ncat,2\n');
  expect(second).toMatchObject({ code: 0, outputs: { said: ['THEN-CAT'] } });
  posts.refuse('then-dog');
  const third = await next(second.run, `name,number\ndog,3\n`);
  expect(third.code).toBe(1);
  posts.refuse();
  const last = await next(third.run, `${whole}dog,3\ncat,2\n`);
  expect(last).toMatchObject({ code: 0, outputs: { said: [...said.slice(0, 2), 'THEN-DOG', 'THEN-CAT'] } });
  expect(posts.received().slice(4)).toEqual(['cat', 'then-cat', 'dog', 'then-dog', 'then-dog']);
});

test('rows in another order, behind one that is new, are known by their names', async () => {
  const rows = await namesTable(world, ['ant', 'bee', 'cat']);
  posts.refuse('then-cat');
  const { result } = await world.run(pipeline(rows, 'acme.once'), { url: posts.url() });
  posts.refuse();
  await writeFile(rows, 'name,number\ndog,3\ncat,2\nbee,1\nant,0\n');
  expect(await rerun(result.run)).toMatchObject({ code: 0, outputs: { said: ['THEN-DOG', ...said.toReversed()] } });
  expect(posts.received().slice(6)).toEqual(['dog', 'then-dog', 'then-cat']);
});

test('a corrected expression is worked out for every row, and what was sent with the same input is not sent again', async () => {
  const rows = await namesTable(world, ['ant', 'bee', 'cat']);
  posts.refuse('then-cat');
  const { result } = await world.run(pipeline(rows, 'acme.once'), { url: posts.url() });
  posts.refuse();
  const file = await world.pipeline(pipeline(rows, 'acme.once', "${{ item.name == 'ant' ? 'wasp' : item.name }}"));
  expect(await rerun(result.run, '--file', file)).toMatchObject({ code: 0, outputs: { said } });
  expect(posts.received().slice(6)).toEqual(['wasp', 'then-ant', 'then-bee', 'then-cat']);
});

test('a call that is the same for every row is made for each of them', async () => {
  const file = pipeline(await namesTable(world, ['ant', 'bee']), 'acme.once', 'hello');
  expect((await world.run(file, { url: posts.url() })).result.state).toBe('done');
  expect(posts.received()).toEqual(['hello', 'then-ant', 'hello', 'then-bee']);
});

test('calls of an operation for each row: one whose answer is lost is looked up, and none is sent twice', async () => {
  const slugs = Array.from({ length: 6 }, () => newSlug('row'));
  const rows = await namesTable(world, slugs);
  const { organizations } = await world.api.user.get({});
  await world.control.fault('maps.projects.create', 3, { lose: 'answer' });
  const { value, effects } = await world.effectsOf(() =>
    world.run(`
name: projects
steps:
  made:
    forEach: { rows: ${rows}, parallel: 1 }
    steps:
      make:
        use: api.call
        with: { operation: maps.projects.create, input: { organization_id: ${organizations[0]!.organization_id}, project_name: "\${{ item.name }}", slug: "\${{ item.name }}" } }
    outputs: { slug: "\${{ steps.make.result.slug }}" }
outputs: { slugs: "\${{ steps.made.rows.map(row, row.slug) }}" }
`),
  );
  expect(value.result).toMatchObject({ state: 'done', outputs: { slugs } });
  expect(effects.map(({ operation }) => operation)).toEqual(slugs.map(() => 'maps.projects.create'));
});

test('a loop over files has each as its item, and one that came since the run began is refused', async () => {
  for (const name of ['b.txt', 'a.txt', 'deep/c.txt']) await world.write(`inbox/${name}`, name);
  const file = `
name: files
params: { url: { type: string } }
steps:
  wait: { use: gate.approve }
  all:
    forEach: { files: "../inbox/**/*.txt", as: file, parallel: 1 }
    needs: [wait]
    steps:
      post: { use: acme.posts, with: { url: "\${{ params.url }}", name: "\${{ file.name.split('/').join('-') }}" } }
    outputs: { path: "\${{ file.path }}", bytes: "\${{ file.bytes }}" }
outputs: { rows: "\${{ steps.all.rows }}" }
`;
  const plan = await world.portolan(['plan', await world.pipeline(file), '-c', 'local', '-p', `url=${posts.url()}`]);
  expect(plan.out).toContain('go over 3 files');
  const run = await world.start(file, { url: posts.url() });
  await world.until(run, ({ view }) => view.state === 'approval');
  await world.portolan(['approve', run, 'wait']);
  const { view } = await world.ended(run);
  const rows = ['a.txt', 'b.txt', 'deep/c.txt'].map((name) => ({ path: join(world.dir, 'inbox', name), bytes: name.length }));
  expect(view).toMatchObject({ state: 'done', outputs: { rows } });
  expect(posts.received()).toEqual(['a.txt', 'b.txt', 'deep-c.txt']);
  expect((await world.store(run).readItems({ step: 'all' })).map(({ item }) => item)).toEqual(['a.txt', 'b.txt', 'deep/c.txt']);

  const late = await world.start(file, { url: posts.url() });
  await world.until(late, ({ view: now }) => now.state === 'approval');
  await world.write('inbox/d.txt', 'd');
  await world.portolan(['approve', late, 'wait']);
  expect((await world.ended(late)).view).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('changed since the run started') },
  });
  expect(posts.received()).toHaveLength(3);
});

test('the files of a pattern, and their rows, are two sources', async () => {
  await world.write('tables/a.csv', 'name\nant\nbee\n');
  await world.write('tables/b.csv', 'name\ncat\n');
  const { result } = await world.run(
    `
name: both
params: { url: { type: string } }
steps:
  files:
    forEach: { files: "../tables/*.csv", as: file, parallel: 1 }
    steps: { post: { use: acme.posts, with: { url: "\${{ params.url }}", name: "\${{ file.name }}" } } }
  rows:
    needs: [files]
    forEach: { rows: "../tables/*.csv", parallel: 1 }
    steps: { then: { use: acme.posts, with: { url: "\${{ params.url }}", name: "\${{ item.name }}" } } }
`,
    { url: posts.url() },
  );
  expect(result).toMatchObject({ state: 'done' });
  expect(posts.received()).toEqual(['a.csv', 'b.csv', 'ant', 'bee', 'cat']);
});

test('a glob that matches no file is a finding', async () => {
  const { code, err, out } = await world.portolan([
    'validate',
    await world.pipeline(
      'name: none\nsteps:\n  all:\n    forEach: { files: "../nothing/*.pdf" }\n    steps: { post: { use: acme.posts, with: { url: x, name: "${{ item.name }}" } } }\n',
    ),
  ]);
  expect([code, err + out]).toEqual([2, expect.stringContaining('no file matches')]);
});
