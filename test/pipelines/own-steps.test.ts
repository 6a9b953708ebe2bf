import { codeOf } from '../../activities/frame/table.ts';
import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nodeProblem } from '../../pipelines/file/import-module.ts';
import { loadPipeline } from '../../pipelines/file/load.ts';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import { resultColumns } from '../../pipelines/own/result-columns.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portolan-steps-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const api = pathToFileURL(join(import.meta.dirname, '../../index.ts')).href;
const good = (name: string): string =>
  `import { defineStep, z } from '${api}';\nexport default defineStep({ name: '${name}', input: z.object({ names: z.array(z.string()) }), output: z.object({ greeted: z.int() }), effect: 'idempotent', async run({ names }: { names: string[] }) { return { greeted: names.length }; } });\n`;
const write = async (name: string, text: string): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
};

test('an own step becomes a step like the built-in ones', async () => {
  const [step] = await loadOwnSteps([await write('greet.mts', good('acme.greet'))]);
  expect(step).toMatchObject({ name: 'acme.greet', summary: 'acme.greet', kind: 'call', effect: 'idempotent', operations: [] });
});

const sweep = (fields = ''): string =>
  `import { defineSweep, z } from '${api}';\nexport default defineSweep({ name: 'acme.all', input: z.object({ n: z.int() }), effect: 'idempotent', items: ({ n }) => Array.from({ length: n }, (_, id) => id), each() {}, ${fields} } as never);\n`;

test('an own sweep becomes a step that works in chunks', async () => {
  const [step] = await loadOwnSteps([await write('all.mts', sweep('window: 2'))]);
  expect(step).toMatchObject({ name: 'acme.all', kind: 'sweep', window: 2, effect: 'idempotent' });
  expect(Object.keys((await codeOf(step!)!()).default)).toEqual(['prepare', 'chunk', 'sent', 'finish']);
});

test('an own poll becomes a step that waits', async () => {
  const text = `import { definePoll, z } from '${api}';\nexport default definePoll({ name: 'acme.wait', input: z.object({}), output: z.object({}), effect: 'never', deadlineSeconds: 60, start: () => 1, check: () => ({ output: {} }) });\n`;
  const [step] = await loadOwnSteps([await write('wait.mts', text)]);
  expect(step).toMatchObject({ name: 'acme.wait', kind: 'poll', effect: 'never', timeouts: { pollMs: 60_000 + 360_000 } });
  expect(Object.keys((await codeOf(step!)!()).default)).toEqual(['start', 'check']);
});

/** What a process of Node makes of files: the name of the step, or why it has none. */
async function loadedByNode(names: readonly string[], longestMs?: number, options: readonly string[] = []): Promise<string[]> {
  const script = `import { Worker } from 'node:worker_threads';
    import { loadOwnSteps } from '${pathToFileURL(join(import.meta.dirname, '../../pipelines/own/load-steps.ts')).href}';
    const { exit } = process;
    const answers = [];
    // Threads are numbered from 1.
    const threadsBefore = () => {
      try {
        return new Worker('', { eval: true }).threadId - 1;
      } catch (error) {
        return error.code;
      }
    };
    for (const file of ${JSON.stringify(names.map((name) => join(folder, name)))}) answers.push(await loadOwnSteps([file], ${longestMs}).then(([step]) => step.name, (error) => error.message));
    process.stdout.write(JSON.stringify([...answers, "threads: " + threadsBefore()]), () => exit());`;
  const given = [...options, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  return JSON.parse((await promisify(execFile)(process.execPath, given, { timeout: 300_000, killSignal: 'SIGKILL' })).stdout) as string[];
}

describe('each mistake is named with file and remedy', () => {
  const step = (fields: string): string =>
    `import { z } from '${api}';\nexport default { name: 'acme.x', input: z.object({}), output: z.object({}), effect: 'safe', run() {}, ${fields} };\n`;
  test.each<[string, string, string]>([
    ['none.mts', 'export const a = 1;\n', ': no default export: write `export default defineStep({ … })`'],
    ['text.mts', "export default 'x';\n", 'its default export is not a step'],
    ['name.mts', step("name: 'Greet'"), "'name' of the step: noun.verb in lower case"],
    ['effect.mts', step('effect: undefined'), "'effect' of the step"],
    ['input.mts', step("input: { names: 'string' }"), "'input' of the step: a zod schema"],
    ['scalar.mts', step('input: z.string()'), 'input must be an object schema'],
    ['run.mts', step('run: 1'), "'run' of the step: a function"],
    ['items.mts', sweep('items: undefined'), "'items' of the step: a function"],
    ['chunk.mts', sweep('chunk: 0'), "'chunk' of the step"],
    ['both.mts', sweep('run() {}'), 'unknown field'],
    ['more.mts', step('retries: 3'), 'unknown field'],
    ['operation.mts', step("operations: ['maps.nothing.get']"), 'not an operation'],
    ['builtin.mts', step("name: 'points.tag'"), "'points.tag' is the name of a built-in step"],
    ['throws.mts', "throw new Error('boom');\n", 'it fails while loading: boom'],
  ])('%s', async (name, text, words) => {
    const file = await write(name, text);
    await expect(loadOwnSteps([file])).rejects.toThrow(/\.mts:\d+:\d+: /);
    await expect(loadOwnSteps([file])).rejects.toThrow(
      expect.objectContaining({ name: 'OwnStepError', message: expect.stringContaining(words) }),
    );
    await expect(loadOwnSteps([file])).rejects.toThrow(file);
  });

  test('by the real Node: module kinds and TypeScript that it does not run', async () => {
    const plain = (name: string): string => `export default { name: '${name}' };\n`;
    await mkdir(join(folder, 'commonjs/node_modules'), { recursive: true });
    await mkdir(join(folder, 'module'));
    await write('commonjs/package.json', '{"type": "commonjs"}');
    await write('module/package.json', '{"type": "module"}');
    const cases: [string, string, RegExp][] = [
      [
        'commonjs/import.ts',
        `import { z } from '${api}';\n${plain('a.b')}`,
        /import\.ts: this folder's package\.json makes \.ts files CommonJS; rename it to import\.mts$/,
      ],
      ['commonjs/export.ts', plain('a.b'), /export\.ts: this folder's package\.json makes \.ts files CommonJS; rename it to export\.mts$/],
      ['commonjs/plain.js', plain('a.b'), /plain\.js: this folder's package\.json makes \.js files CommonJS; rename it to plain\.mjs$/],
      ['commonjs/good.mts', good('acme.good'), /^acme\.good$/],
      ['module/good.ts', good('acme.good'), /^acme\.good$/],
      ['module/enum.mts', 'enum A { B }\nexport default A;\n', /enum\.mts:1: .*enum.*no enums/],
      ['module/syntax.mts', 'const a: number = 1;\nexport default {{;\n', /syntax\.mts:2: it fails while loading: /],
      [
        'module/twice.mjs',
        'const a = 1;\nconst a = 2;\nexport default a;\n',
        /twice\.mjs:2: it fails while loading: .*already been declared/,
      ],
      [
        'module/price.mts',
        'export const prices: number[] = [];\nprices[0]!.toFixed();\n',
        /price\.mts:2:12: it fails while loading: Cannot read/,
      ],
      ['module/helped.mts', "import './price.mts';\n", /helped\.mts: it fails while loading: Cannot read .* \(\/.*price\.mts:2:12\)$/],
      ['module/exit.mts', `\nprocess.exit(3);\n`, /exit\.mts:2:9: it fails while loading: its code calls process\.exit\(3\)$/],
      [
        'module/waits.mts',
        'await new Promise(() => undefined);\n',
        /waits\.mts: .*an `await` at its top waits for something that never comes/,
      ],
      ['module/other.mts', `import { nothing } from './price.mts';\n`, /other\.mts:1: it fails while loading: .*export named 'nothing'/],
      ['module/unnamed.mts', good('acme.x').replace('export default', 'export const step ='), /unnamed\.mts:2:\d+: no default export/],
      [
        'module/package.mts',
        "import 'not-installed-anywhere';\n",
        /package\.mts: Cannot find package 'not-installed-anywhere'.*install the package/,
      ],
      ['commonjs/node_modules/a.mts', plain('a.b'), /a\.mts: Node runs no TypeScript below node_modules; move the file/],
    ];
    for (const [name, text] of cases) await write(name, text);
    const answers = await loadedByNode(cases.map(([name]) => name));
    for (const [index, [name, , expected]] of cases.entries()) expect(answers[index], name).toMatch(expected);
  });

  test.each<[string, string, RegExp]>([
    [
      'turns.mts',
      'const n: number = 1;\ntry {\n  while (n > 0) Math.sqrt(n);\n} catch {}\nexport default n;\n',
      /^\/.*turns\.mts:3:\d+: the code at its top has not ended after 0\.2 s; do what takes time in the code of a step: the top of a file/,
    ],
    ['first.mts', 'await null;\nfor (;;);\n', /^\/.*first\.mts:2:\d+: the code at its top has not ended after 0\.2 s; do what/],
    [
      'asks.mts',
      'await new Promise(() => setInterval(() => undefined, 10));\n',
      /^\/.*asks\.mts: an `await` at its top has not ended after 0\.2 s; do what/,
    ],
  ])('by the real Node: code at its top that goes on without end (%s)', async (name, text, expected) => {
    await write(name, text);
    const [answer] = await loadedByNode([name], 200);
    expect(answer).toMatch(expected);
  });

  test('by the real Node: one thread looks on while many files are loaded, and where none may be started they are loaded all the same', async () => {
    const names = ['one.mts', 'two.mts', 'three.mts'];
    for (const name of names) await write(name, good(`acme.${name.split('.')[0]}`));
    const loaded = ['acme.one', 'acme.two', 'acme.three'];
    expect(await loadedByNode(names)).toEqual([...loaded, 'threads: 1']);
    expect(await loadedByNode(names, undefined, ['--permission', '--allow-fs-read=*'])).toEqual([...loaded, 'threads: ERR_ACCESS_DENIED']);
  });

  test('two steps of one name', async () => {
    const files = [await write('a.mts', good('acme.same')), await write('b.mts', good('acme.same'))];
    await expect(loadOwnSteps(files)).rejects.toThrow(`${files[1]}:2:29: 'acme.same' is the step of ${files[0]} already`);
  });

  test('Node that cannot run TypeScript', () => {
    expect(nodeProblem('22.17.1')).toBe('Node 22.17.1 is too old: own steps and pipelines in TypeScript need Node ≥ 22.18');
    expect(nodeProblem('20.19.0')).toContain('too old');
    for (const version of ['22.18.0', '24.0.0', process.versions.node]) expect(nodeProblem(version)).toBeUndefined();
  });
});

test.each([
  ['z.string()', 'result must be an object schema'],
  ['z.object({ when: z.date() })', 'result.when fits no column'],
  ['z.object({ any: z.unknown() })', 'result.any fits no column'],
  ['z.object({ id: z.union([z.string(), z.number()]) })', 'result.id may be of several types (VARCHAR, DOUBLE)'],
  ['z.object({ tags: z.record(z.string(), z.int()) })', 'result.tags fits no column'],
  ['z.object({ Item: z.string() })', "result has a field 'item'"],
  ['z.object({ a: z.string(), A: z.string() })', "result has two fields 'A' when case is ignored"],
  ['z.object({ o: z.object({ a: z.string(), A: z.string() }) })', "result.o has two fields 'A' when case is ignored"],
])('results of %s are refused when the step is read: they make no columns', async (schema, problem) => {
  await expect(loadOwnSteps([await write('all.mts', sweep(`result: ${schema}`))])).rejects.toThrow(problem);
});

/** A step of this input, in the third line of its file, and of an example. */
const withInput = (input: string): string =>
  `import { z } from '${api}'; const own: z.ZodType =\nz.object({\n  ${input} });\n  export default { example: { names: ['a', 'b'] }, name: 'acme.x', input: own, output: z.object({}), effect: 'safe', run() {} };\n`;

test.each([
  [
    "names: z.array('string')",
    '3:3',
    '\'input.names\' of the step is made of the text "string", where a zod schema is due; write z.string()',
  ],
  ['names: z.array(z.object({ first: 7 }))', '3:29', "'input.names.first' of the step is made of 7, where a zod schema is due"],
  ["names: z.enum(['a', 'b']).default('c')", '3:3', 'the default of \'input.names\' of the step: it is the text "c", expected a or b'],
  ['names: z.array(z.string()).max(1)', '4:20', "'example' of the step: 'names' is a list: at most 1 item"],
  ['names: z.int()', '4:20', "'example' of the step: 'names' is a list, expected a whole number"],
])('an input %s is refused when the step is read, with its place', async (input, place, problem) => {
  const file = await write('wrong.mts', withInput(input));
  await expect(loadOwnSteps([file])).rejects.toThrow(`${file}:${place}: ${problem}`);
});

test.each([
  'names: z.array(z.string()).default(["a"])',
  'names: z.array(z.string()), sum: z.string().transform((text) => text.length).default(5)',
  'names: z.array(z.string()), at: z.string().default(() => { throw new Error("not here") })',
  'names: z.array(z.string().refine(() => false))',
  'names: z.array(z.string()), get more() { return z.array(own).optional(); }',
  'names: z.array(z.string()), rest: z.tuple([z.int()], z.string()).optional(), any: z.record(z.string(), z.lazy(() => z.int())).optional()',
  'names: z.union([z.array(z.string()), z.null()]), kind: z.literal("a").prefault("a"), n: z.int().nullable().default(null)',
])('an input %s is none that is refused', async (input) => {
  const [step] = await loadOwnSteps([await write('right.mts', withInput(input))]);
  expect(step).toMatchObject({ name: 'acme.x' });
});

test('results of text, numbers, booleans, lists and objects of these make typed columns', () => {
  const schema = z.object({
    name: z.string(),
    count: z.int(),
    score: z.number().nullable(),
    ok: z.boolean().optional(),
    kind: z.enum(['a', 'b']),
    tags: z.array(z.string()),
    at: z.object({ x: z.number(), y: z.number() }),
  });
  expect(resultColumns(schema)).toEqual({
    item: 'VARCHAR',
    name: 'VARCHAR',
    count: 'BIGINT',
    score: 'DOUBLE',
    ok: 'BOOLEAN',
    kind: 'VARCHAR',
    tags: 'VARCHAR[]',
    at: 'STRUCT("x" DOUBLE, "y" DOUBLE)',
  });
});

describe('a pipeline as a file', () => {
  test('YAML, JSON and a module give the same', async () => {
    const value = { name: 'a', steps: { one: { use: 'acme.x', with: { n: 1 } } } };
    const files = [
      await write('a.yaml', 'name: a\nsteps:\n  one: { use: acme.x, with: { n: 1 } }\n'),
      await write('a.json', JSON.stringify(value)),
      await write('a.mts', `import { definePipeline } from '${api}';\nexport default definePipeline(${JSON.stringify(value)});\n`),
    ];
    for (const file of files) expect(await loadPipeline(file)).toMatchObject({ value, findings: [], file, baseDir: folder });
  });

  test('what cannot be read is a finding; what is not there fails', async () => {
    expect(await loadPipeline(await write('b.mts', 'export const x = 1;\n'))).toMatchObject({
      value: undefined,
      findings: [{ code: 'module', message: expect.stringContaining('definePipeline') }],
    });
    expect(await loadPipeline(await write('c.yaml', ' '.repeat(2 ** 20 + 1)))).toMatchObject({ findings: [{ code: 'too-large' }] });
    await mkdir(join(folder, 'd.yaml'));
    await expect(loadPipeline(join(folder, 'd.yaml'))).rejects.toThrow('d.yaml is not a regular file');
    await expect(loadPipeline(join(folder, 'none.yaml'))).rejects.toThrow('ENOENT');
    await expect(loadPipeline(join(folder, 'none.mts'))).rejects.toThrow('ENOENT');
  });
});
