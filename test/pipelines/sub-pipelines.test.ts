import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { compile, validate } from '../../pipelines/compile/compile.ts';
import { forecast, type Forecast } from '../../pipelines/forecast/forecast.ts';
import { loadPipeline } from '../../pipelines/file/load.ts';
import { instantiate, WrongParam } from '../../pipelines/instantiate.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { resolvePath } from '../../pipelines/resolve-path.ts';
import { withOwn } from '../../pipelines/steps/table.ts';
import { options, sample, wipe } from './support.ts';

const made: string[] = [];
afterAll(() => Promise.all(made.map((dir) => rm(dir, { recursive: true, force: true }))));

/** A folder with these files; gives the path of the first. */
async function folder(files: { [name: string]: string }): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-subs-'));
  made.push(dir);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return join(dir, Object.keys(files)[0]!);
}

const found = async (files: { [name: string]: string }) => {
  const loaded = await loadPipeline(await folder(files));
  return validate(loaded, { ...options, baseDir: loaded.baseDir }).map(
    ({ code, line, message, corrected, remedy }) => `${code} ${line} ${message} | ${corrected?.trim() ?? remedy ?? ''}`,
  );
};

async function planOf(files: { [name: string]: string }, given: object = {}): Promise<Plan> {
  const loaded = await loadPipeline(await folder(files));
  const result = compile(loaded, { ...options, baseDir: loaded.baseDir, connection: 'local', ...given });
  if ('findings' in result) throw new Error(JSON.stringify(result.findings));
  return result.plan;
}

const load = `name: load
params:
  source: { type: path }
  slug: { type: slug, default: films }
  full: { type: boolean, default: true }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.slug }}" } }
  rows:
    use: dataset.append
    when: "\${{ params.full }}"
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true }, columns: { title: Title } }
outputs: { dataset: "\${{ steps.dataset.id }}", "how many": "\${{ 1 + 1 }}" }
`;

const above = (step: string): string => `name: above\nsteps:\n  one: ${step}\n`;

test('parameters and outputs of a pipeline are checked as those of a step', async () => {
  const files = (step: string): { [name: string]: string } => ({ 'a.yaml': above(step), 'lib/load.yaml': load });
  expect(await found(files('{ use: ./lib/load.yaml, with: { source: x.json } }'))).toEqual([]);
  expect(await found(files('{ use: ./lib/load.yaml, with: { sorce: x.json } }'))).toEqual([
    expect.stringMatching(/^unknown-field 3 .*sorce.* \| one: \{ use: \.\/lib\/load\.yaml, with: \{ source: x\.json \} \}$/),
  ]);
  expect(await found(files('{ use: ./lib/load.yaml }'))).toEqual([expect.stringMatching(/^missing-field 3 .*source/)]);
  expect(await found(files('{ use: ./lib/load.yaml, with: { source: x.json, full: 7 } }'))).toEqual([
    expect.stringMatching(/^wrong-type 3 .*full/),
  ]);
  expect(await found(files('{ use: ./lib/load.yaml, with: { source: x.json, slug: No Slug } }'))).toEqual([
    expect.stringMatching(/^invalid-value 3 .*slug/),
  ]);
  const reads = (text: string): string => `{ use: ./lib/load.yaml, with: { source: x.json } }\n  two: ${text}`;
  expect(await found(files(reads('{ use: index.build, with: { dataset: "${{ steps.one.dataset }}", embed: title } }')))).toEqual([]);
  expect(await found(files(reads('{ use: index.build, with: { dataset: "${{ steps.one.datset }}", embed: title } }')))).toEqual([
    expect.stringMatching(/^no-such-output 4 .*has dataset, how many.* \| .*steps\.one\.dataset/),
  ]);
  expect(await found(files(reads('{ use: index.build, with: { dataset: "${{ params.x }}", embed: title } }')))).toEqual([
    expect.stringMatching(/^no-such-param 4/),
  ]);
});

test('a pipeline that cannot be run is a finding: a file that is not there, a circle, too many levels, and findings of its own by their lines', async () => {
  const use = (path: string): string => above(`{ use: ${path} }`);
  expect(await found({ 'a.yaml': use('./none.yaml') })).toEqual([
    'no-such-pipeline 3 there is no file ./none.yaml | write the path of a pipeline file from the folder of this one',
  ]);
  expect(await found({ 'a.yaml': use('none.yaml') })).toEqual([
    expect.stringMatching(/^unknown-step 3 .*did you mean '\.\/none\.yaml'\? \| one: \{ use: \.\/none\.yaml \}$/),
  ]);
  expect(await found({ 'a.yaml': use('./b.yaml'), 'b.yaml': use('./a.yaml') })).toEqual([
    'in-pipeline 3 ./b.yaml:3:15: pipelines run each other in a circle: a.yaml → b.yaml → a.yaml (no-such-pipeline) | take one of these steps out',
  ]);
  const levels = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at, all) => [`${name}.yaml`, use(`./${all[at + 1] ?? 'g'}.yaml`)]),
  );
  expect(await found(levels)).toEqual([expect.stringContaining('pipelines stand 5 deep at most: a.yaml → b.yaml → c.yaml')]);
  expect(await found({ 'a.yaml': use('./b.yaml'), 'b.yaml': 'name: b\nsteps:\n  x: { use: gate.aprove }\n' })).toEqual([
    expect.stringMatching(/^in-pipeline 3 \.\/b\.yaml:3:13: .*\(unknown-step\) \| line 3 of \.\/b\.yaml: x: \{ use: gate\.approve \}$/),
  ]);
  // What is wrong with the values that a step gives is found too, where they are written out.
  const tag = `name: b\nparams: { n: { type: integer } }\nsteps:\n  x: { use: acme.sample, with: { count: "\${{ params.n }}" } }\n`;
  expect(await found({ 'a.yaml': above('{ use: ./b.yaml, with: { n: 0 } }'), 'b.yaml': tag })).toEqual([
    expect.stringMatching(/^in-pipeline 3 \.\/b\.yaml:4:\d+: .*count/),
  ]);
  expect(await found({ 'a.yaml': above('{ use: ./b.yaml, with: { n: 1 } }'), 'b.yaml': tag })).toEqual([]);
});

test('a pipeline stands in no loop over rows', async () => {
  const rows = (use: string): string => `name: a\nsteps:\n  each:\n    forEach: { rows: x.csv }\n    steps: { one: { use: ${use} } }\n`;
  expect(await found({ 'a.yaml': rows('./b.yaml'), 'b.yaml': 'name: b\nsteps:\n  x: { use: gate.approve }\n' })).toEqual([
    expect.stringMatching(/^not-in-rows 5 \.\/b\.yaml cannot stand in a loop over rows/),
  ]);
});

test('a plan has the plan of a pipeline once, however often and deep it is run, and its hash covers it', async () => {
  const files = (title: string): { [name: string]: string } => ({
    'a.yaml': `name: above
steps:
  one: { use: ./lib/load.yaml, with: { source: x.json } }
  each:
    forEach: { items: [a, b] }
    steps:
      two: { use: ./lib/load.yaml, with: { source: "\${{ item }}.json", slug: "\${{ item }}" } }
      three: { use: ./between.yaml, with: { source: "\${{ item }}.json" } }
`,
    'between.yaml': `name: between
params: { source: { type: path } }
steps:
  inner: { use: ./lib/load.yaml, with: { source: "\${{ params.source }}" } }
`,
    'lib/load.yaml': load.replace('Title', title),
  });
  const plan = await planOf(files('Title'));
  expect(
    Object.values(plan.pipelines!)
      .map(({ plan: { pipeline } }) => pipeline)
      .sort(),
  ).toEqual(['between', 'load']);
  expect((await planOf(files('Name'))).hash).not.toBe(plan.hash);
});

test('the plan of a run of a pipeline is what compile makes of its file with the same parameters', async () => {
  for (const [given, params] of [
    [{ source: 'x.json' }, {}],
    [{ source: '/data/y.csv', slug: 'other', full: false }, {}],
    [{ source: 'https://example.org/x.json', slug: 's' }, {}],
  ] as const) {
    const file = await folder({ 'a.yaml': above('{ use: ./lib/load.yaml, with: { source: x.json } }'), 'lib/load.yaml': load });
    const parent = compile(await loadPipeline(file), { ...options, baseDir: dirname(file), connection: 'local' });
    const { pipelines } = (parent as { plan: Plan }).plan;
    const [sub] = Object.values(pipelines!);
    const child = await loadPipeline(join(dirname(file), 'lib/load.yaml'));
    // Paths that are given mean the folder of the file that gives them.
    const source = resolvePath(given.source, dirname(file));
    const alone = compile(child, { ...options, baseDir: child.baseDir, connection: 'local', params: { ...params, ...given, source } });
    expect(instantiate(sub!, given, dirname(file), pipelines)).toEqual((alone as { plan: Plan }).plan);
  }
});

test('a pipeline holds the same dataset as a step and by itself, whatever the order in which its steps are done', async () => {
  const inner = `name: inner
connection: local
steps:
  b: { use: dataset.ensure, with: { slug: bb }, needs: [a] }
  a: { use: dataset.ensure, with: { slug: aa } }
`;
  const file = await folder({ 'a.yaml': above('{ use: ./inner.yaml }'), 'inner.yaml': inner });
  const parent = compile(await loadPipeline(file), { ...options, baseDir: dirname(file), connection: 'local' });
  const [sub] = Object.values((parent as { plan: Plan }).plan.pipelines!);
  expect(instantiate(sub!, {}, dirname(file), {}).concurrency).toEqual({ key: 'local/bb' });
});

test('a relative path that parameters make means the folder of the pipeline that writes it', async () => {
  const named = load.replace('"${{ params.source }}"', '"${{ params.slug }}.csv"').replace('  source: { type: path }\n', '');
  const plan = await planOf({
    'main.yaml': 'name: main\nsteps:\n  one: { use: ./lib/load.yaml, with: { slug: books } }\n',
    'lib/load.yaml': named,
  });
  const [sub] = Object.values(plan.pipelines!);
  const source = join(dirname(sub!.file), 'books.csv');
  expect(instantiate(sub!, { slug: 'books' }, '/elsewhere', plan.pipelines)).toMatchObject({
    steps: [{}, { with: { source } }],
    sources: [{ path: source }],
  });
});

test('a value that a parameter cannot have is refused when the run begins', async () => {
  const { pipelines } = await planOf({ 'a.yaml': above('{ use: ./lib/load.yaml, with: { source: x.json } }'), 'lib/load.yaml': load });
  const [sub] = Object.values(pipelines!);
  for (const [given, says] of [
    [{ source: 7 }, "parameter 'source' is 7, expected a path"],
    [{}, "parameter 'source' has no default and no value"],
    [{ source: 'x', slug: 'No' }, /expected a slug/],
    [{ source: 'x', more: 1 }, "'more' is not a parameter of this pipeline"],
  ] as const)
    expect(() => instantiate(sub!, given, '/base', pipelines)).toThrow(
      expect.objectContaining({ name: 'BadInput', message: typeof says === 'string' ? says : expect.stringMatching(says) }),
    );
  expect(new WrongParam('x').name).toBe('BadInput');
});

test('a pipeline whose steps write or read a dataset follows the steps above it that write the same, by its slug or by its id', async () => {
  const drawn = `name: drawn
params: { dataset: { type: string } }
steps: { map: { use: index.build, with: { dataset: "\${{ params.dataset }}", embed: title } } }
`;
  const nested = `name: nested\nparams: { into: { type: slug } }\nsteps: { in1: { use: ./load.yaml, with: { source: y.json, slug: "\${{ params.into }}" } } }\n`;
  const { steps } = await planOf(
    {
      'a.yaml': `name: above
params: { slug: { type: slug, default: films } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.slug }}" } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: x.json, id: { row: true } } }
  again: { use: ./load.yaml, with: { source: x.json } }
  deeper: { use: ./nested.yaml, with: { into: films } }
  other: { use: ./load.yaml, with: { source: x.json, slug: books } }
  map: { use: ./drawn.yaml, with: { dataset: "\${{ steps.dataset.id }}" } }
  second: { use: ./drawn.yaml, with: { dataset: "\${{ steps.dataset.id }}" } }
  first: { use: ./load.yaml, with: { source: x.json, slug: maps } }
`,
      'load.yaml': load,
      'drawn.yaml': drawn,
      'nested.yaml': nested,
    },
    {},
  );
  expect(Object.fromEntries(steps.map(({ id, needs }) => [id, needs.toSorted()]))).toEqual({
    dataset: [],
    rows: ['dataset'],
    again: ['rows'],
    deeper: ['again', 'rows'],
    other: [],
    map: ['again', 'dataset', 'deeper', 'rows'],
    second: ['again', 'dataset', 'deeper', 'rows'],
    first: [],
  });
});

test('where the file says itself which of two writers comes first, that holds', async () => {
  const { steps } = await planOf({
    'a.yaml': `name: above
steps:
  late: { use: ./load.yaml, needs: [early], with: { source: x.json } }
  early: { use: ./load.yaml, with: { source: y.json } }
`,
    'load.yaml': load,
  });
  expect(Object.fromEntries(steps.map(({ id, needs }) => [id, needs]))).toEqual({ early: [], late: ['early'] });
});

const needsOf = ({ steps }: Plan) => Object.fromEntries(steps.map(({ id, needs, accepts }) => [id, [needs, accepts]]));

test('a gate that approves the earlier of two writers turns their order round, and makes no circle', async () => {
  const made = needsOf(
    await planOf({
      'a.yaml': `name: above
steps:
  publish: { use: ./load.yaml, with: { source: x.json } }
  draft: { use: ./load.yaml, with: { source: y.json } }
  ok: { use: gate.approve, needs: [draft], with: { approves: [publish] } }
`,
      'load.yaml': load,
    }),
  );
  expect([made['publish'], made['draft']]).toEqual([
    [['ok'], undefined],
    [[], undefined],
  ]);
});

test('a step that the file has follow a failure of a writer does so, whatever it writes', async () => {
  const made = needsOf(
    await planOf({
      'a.yaml': `name: above
steps:
  one: { use: ./load.yaml, with: { source: x.json } }
  tell: { use: acme.sample, needs: { one: failed }, with: { text: failed } }
  two: { use: ./load.yaml, needs: [tell], with: { source: y.json } }
`,
      'load.yaml': load,
    }),
  );
  expect(made['two']).toEqual([['tell'], undefined]);
});

test('datasets of one slug at two connections are two, and so are those that the items of two loops name', async () => {
  const at = (connection: string): string => load.replace('params:', `connection: ${connection}\nparams:`);
  const far = await planOf({
    'a.yaml': `name: above
steps:
  eu: { use: ./eu.yaml, with: { source: x.json } }
  us: { use: ./us.yaml, with: { source: x.json } }
  more: { use: ./us.yaml, with: { source: y.json } }
`,
    'eu.yaml': at('eu'),
    'us.yaml': at('us'),
  });
  expect(Object.fromEntries(far.steps.map(({ id, needs }) => [id, needs]))).toEqual({ eu: [], us: [], more: ['us'] });
  const turns = (list: string): string =>
    `{ forEach: { items: ${list}, as: slug }, steps: { load${list.length}: { use: ./load.yaml, with: { source: x.json, slug: "\${{ slug }}" } } } }`;
  const loops = await planOf({
    'a.yaml': `name: above\nsteps:\n  some: ${turns('[a, b]')}\n  others: ${turns('[c, d, e]')}\n`,
    'load.yaml': load,
  });
  expect(loops.steps.filter(({ each }) => each).map(({ needs }) => needs)).toEqual([[], []]);
});

test('pipelines whose runs may hold one key, also beneath them, follow each other however the first one ends: neither waits for what the other holds', async () => {
  const holds = (name: string, key: string, deep: string): string =>
    `name: ${name}\nconcurrency: ${key}\nsteps: { deep: { use: ./key.yaml, with: { key: ${deep} } } }\n`;
  const made = needsOf(
    await planOf({
      'a.yaml': `name: above
concurrency: k1
steps:
  one: { use: ./one.yaml }
  two: { use: ./two.yaml }
  other: { use: ./key.yaml, with: { key: k3 } }
`,
      'one.yaml': holds('one', 'k2', 'k1'),
      'two.yaml': holds('two', 'k1', 'k2'),
      'key.yaml': `name: key\nparams: { key: { type: string } }\nconcurrency: "\${{ params.key }}"\nsteps: { x: { use: acme.sample, with: { text: x } } }\n`,
    }),
  );
  // Without a key of its own a pipeline holds the dataset that it finds or makes, though it writes nothing there.
  const found = needsOf(
    await planOf({
      'a.yaml': `name: above\nsteps:\n  one: { use: ./finds.yaml, with: { slug: a } }\n  two: { use: ./finds.yaml, with: { slug: a } }\n  other: { use: ./finds.yaml, with: { slug: b } }\n`,
      'finds.yaml': `name: finds\nparams: { slug: { type: slug } }\nsteps: { dataset: { use: dataset.ensure, with: { slug: "\${{ params.slug }}" } } }\n`,
    }),
  );
  expect([found['two']![0], found['other']![0]]).toEqual([['one'], []]);
  expect(made).toEqual({
    one: [[], undefined],
    two: [['one'], { one: ['done', 'tolerated', 'skipped', 'failed', 'cancelled'] }],
    other: [[], undefined],
  });
});

const keyed = (key: string, type: string): string => `name: keyed
params: { n: { type: ${type} } }
concurrency: ${JSON.stringify(key)}
steps: { x: { use: acme.sample, with: { text: "\${{ string(params.n) }}" } } }
`;

/** The key of a run of such a pipeline whose parameter the run above it gives when it runs, and that of one started by itself. */
async function keysOf(key: string, type: 'string' | 'integer' | 'number' | 'boolean', n: string | number | boolean): Promise<unknown[]> {
  const other = { string: "'7'", integer: '7', number: '7', boolean: 'true' }[type];
  const file = await folder({ 'a.yaml': above(`{ use: ./keyed.yaml, with: { n: ${other} } }`), 'keyed.yaml': keyed(key, type) });
  const parent = compile(await loadPipeline(file), { ...options, baseDir: dirname(file), connection: 'local' });
  const { pipelines } = (parent as { plan: Plan }).plan;
  const alone = await loadPipeline(join(dirname(file), 'keyed.yaml'));
  const made = compile(alone, { ...options, baseDir: alone.baseDir, connection: 'local', params: { n } });
  const says = (make: () => Plan): unknown => {
    try {
      return make().concurrency?.key;
    } catch (error) {
      return error instanceof WrongParam ? error.message : error;
    }
  };
  return [
    says(() => instantiate(Object.values(pipelines!)[0]!, { n }, dirname(file), pipelines)),
    'plan' in made ? made.plan.concurrency?.key : made.findings.map(({ message }) => message).join(),
  ];
}

test('a key that a parameter gives is the same in a step as in a run started by itself, whatever its type', async () => {
  expect(await keysOf('${{ params.n }}', 'integer', 5)).toEqual(['5', '5']);
  expect(await keysOf('${{ params.n }}', 'number', 0.5)).toEqual(['0.5', '0.5']);
  expect(await keysOf('${{ params.n }}', 'boolean', true)).toEqual(['true', 'true']);
  expect(await keysOf('n-${{ params.n }}', 'integer', 5)).toEqual(['n-5', 'n-5']);
});

test('a key that its parameters make none, empty or too long is refused, with the rule and what to do', async () => {
  const [inStep, alone] = await keysOf('${{ string(int(params.n)) }}', 'string', 'five');
  expect(inStep).toMatch(/^'concurrency.key' is \$\{\{ .* gives no text with these parameters: .*int/);
  expect(alone).toMatch(/int/);
  const rule = 'a key has 1 to 200 characters';
  expect(await keysOf('${{ params.n }}', 'string', '')).toEqual([
    `'concurrency.key' is empty here: ${rule}; give its parameter a value, or write a text beside it`,
    `'concurrency' is empty here: ${rule}`,
  ]);
  expect(await keysOf('${{ params.n }}', 'string', 'x'.repeat(201))).toEqual([
    `'concurrency.key' has 201 characters here ('${'x'.repeat(40)}…'): ${rule}; give its parameters shorter values, or refer to others`,
    `'concurrency' has 201 characters here ('${'x'.repeat(40)}…'): ${rule}`,
  ]);
  expect(await keysOf('${{ params.n }}', 'string', 'x'.repeat(200))).toEqual(['x'.repeat(200), 'x'.repeat(200)]);
  // Written out at the step that gives it, it is found before the run; a key that is still open is not.
  const given = (n: string): { [name: string]: string } => ({
    'a.yaml': above(`{ use: ./keyed.yaml, with: { n: ${n} } }`),
    'keyed.yaml': keyed('${{ params.n }}', 'string'),
  });
  expect(await found(given("''"))).toEqual([expect.stringMatching(/^in-pipeline 3 \.\/keyed\.yaml:3:14: 'concurrency' is empty here/)]);
  expect(await found(given('a'))).toEqual([]);
});

test('a connection is the pipeline’s own, that of its environment, or that of the run above it', async () => {
  const named = load.replace('steps:', 'connection: far\nenvironments: { prod: { connection: prod, params: { slug: real } } }\nsteps:');
  const files = {
    'a.yaml': `name: above\nenvironments: { prod: {} }\nsteps:\n  one: { use: ./own.yaml, with: { source: x.json } }\n  two: { use: ./load.yaml, with: { source: x.json } }\n`,
    'own.yaml': named,
    'load.yaml': load,
  };
  const connections = async (given: object) => {
    const plan = await planOf(files, given);
    return plan.steps.map(({ version, connections: { maps } }) => [
      maps,
      plan.pipelines![String(version)]!.plan.steps[0]!.connections['maps'],
    ]);
  };
  expect(await connections({})).toEqual([
    [undefined, 'far'],
    ['local', 'local'],
  ]);
  expect(await connections({ environment: 'prod' })).toEqual([
    [undefined, 'prod'],
    ['local', 'local'],
  ]);
  const plan = await planOf(files, { environment: 'prod' });
  expect(plan.pipelines![String(plan.steps[0]!.version)]!.params['slug']).toEqual({ type: 'slug', default: 'real' });
});

/** What a run does that has one step, a pipeline of these steps. */
async function forecastOf(inner: string): Promise<Forecast> {
  const plan = await planOf({ 'a.yaml': above('{ use: ./inner.yaml }'), 'inner.yaml': `name: inner\nsteps:\n${inner}` });
  const [sub] = Object.values(plan.pipelines!);
  const [steps, facts] = [withOwn([sample, wipe]), { table: () => undefined }];
  const inside = forecast(instantiate(sub!, {}, '/base', plan.pipelines), steps, facts);
  return forecast(plan, steps, { ...facts, pipelines: new Map([['one', inside]]) });
}

test('what a pipeline does that cannot be taken back, or that nobody can foresee, is of its own steps, with its own gate', async () => {
  const found = await forecastOf(
    '  ok: { use: gate.approve }\n  gone: { use: acme.wipe, needs: [ok] }\n  look: { use: acme.sample, with: { text: x } }\n',
  );
  expect(found.irreversible).toMatchObject([{ step: 'one.gone', kind: 'wipe', most: 1, gate: 'one.ok' }]);
  expect(found.own).toEqual(['one.look']);
});

test('nobody knows what a pipeline costs at most where nobody knows it of one of its steps', async () => {
  const agents = (id: string, more: string): string =>
    `  ${id}: { use: agent.run, with: { items: a.csv, prompt: "read {{text}}"${more} } }\n`;
  const capped = ', cap: { item: 1, total: 20 }';
  const costOf = async (...steps: string[]) => (await forecastOf(steps.join(''))).steps[0]!.cost;
  expect(await costOf(agents('a', capped), agents('b', capped))).toMatchObject({ min: 0, max: 40 });
  expect(await costOf(agents('a', capped), agents('b', ''))).toMatchObject({ min: 0, max: null });
});

test('a path is resolved as node:path does', () => {
  const part = fc.oneof(fc.constantFrom('.', '..', '', 'a', 'b.c'), fc.stringMatching(/^[a-z.]{1,3}$/));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 }), (parts, base) => {
      const [path, folderOf] = [parts.join('/'), `/${base.join('/')}`];
      // One from the root is left as it is.
      if (!path.startsWith('/')) expect(resolvePath(path, folderOf)).toBe(posix.resolve(folderOf, path));
    }),
  );
});
