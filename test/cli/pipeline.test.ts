import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { portolan } from './support.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-file-'));
  await mkdir(join(cwd, 'data'));
  await writeFile(join(cwd, 'data', 'rows.csv'), 'title,gross\nUp,1\nHeat,2\n');
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const file = async (text: string): Promise<string> => {
  await writeFile(join(cwd, 'p.yaml'), text);
  return 'p.yaml';
};

const ingest = (columns: string, source = 'data/rows.csv'): string => `name: ingest
params:
  dataset: { type: slug }
steps:
  dataset:
    use: dataset.ensure
    with:
      slug: \${{ params.dataset }}
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: ${source}
      id: { row: true }
      columns:
        title: title
        gross: ${columns}
`;

describe('validate', () => {
  test('a file without mistakes ends 0, with a parameter still open', async () => {
    expect(await portolan(['validate', await file(ingest('gross * 2'))], { cwd })).toEqual({ code: 0, out: 'p.yaml is valid\n', err: '' });
  });

  test('says of a step that nobody made yet how to make it', async () => {
    const { code, out } = await portolan(
      ['validate', await file('name: hello\nsteps:\n  hello:\n    use: own.greet\n    with: { names: [Ada] }\n')],
      { cwd },
    );
    expect(code).toBe(2);
    expect(out).toMatchInlineSnapshot(`
      "p.yaml:4:10  unknown-step  there is no step type 'own.greet', neither built in nor in steps/*.mts
          make it: portolan step new greet   (or see what there is: portolan steps)
      1 finding
      "
    `);
  });

  test('a misspelt step is not taken for one of the own', async () => {
    const { out } = await portolan(['validate', await file('name: x\nsteps:\n  a:\n    use: dataset.ensur\n    with: { slug: a }\n')], {
      cwd,
    });
    expect(out).toContain("did you mean 'dataset.ensure'?");
    expect(out).not.toContain('portolan step new');
  });

  test.each([['(select 1)'], ["read_csv('/etc/passwd')"], ['sum(gross)'], ['random()'], ['1); drop table x; --'], ['nosuch + 1']])(
    'refuses the column expression %s at its line',
    async (expression) => {
      const { code, out } = await portolan(['validate', await file(ingest(JSON.stringify(expression))), '-p', 'dataset=movies'], { cwd });
      expect(code).toBe(2);
      expect(out).toMatch(/^p\.yaml:17:16 {2}bad-column\s+gross: /);
    },
  );

  test.each([
    ['empty.csv', ''],
    ['fake.parquet', 'not parquet at all'],
  ])('a source %s that cannot be read is a finding at its line', async (name, text) => {
    await writeFile(join(cwd, 'data', name), text);
    const { code, out } = await portolan(['validate', await file(ingest('gross', `data/${name}`)), '-p', 'dataset=movies', '--json'], {
      cwd,
    });
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ file: 'p.yaml', line: 13, code: 'bad-source' });
  });

  test('a source that is not on this host is left to the worker', async () => {
    expect(
      (await portolan(['validate', await file(ingest('gross', '/srv/elsewhere/rows.csv')), '-p', 'dataset=movies'], { cwd })).code,
    ).toBe(0);
  });

  test('says which file is not there, and what a parameter looks like', async () => {
    expect((await portolan(['validate', 'nope.yaml'], { cwd })).err).toContain('there is no file nope.yaml');
    // A pipe would be waited for, and a device read without end.
    execFileSync('mkfifo', [join(cwd, 'pipe.yaml')]);
    for (const odd of [join(cwd, 'pipe.yaml'), '/dev/zero'])
      expect((await portolan(['validate', odd], { cwd })).err).toMatch(/cannot be read: .* is not a regular file/);
    const { code, err } = await portolan(['validate', await file(ingest('gross')), '-p', 'dataset'], { cwd });
    expect([code, err]).toEqual([2, expect.stringContaining("--param dataset has no '='")]);
  });
});

describe('a folder', () => {
  const broken = 'name: x\nsteps:\n  a:\n    use: dataset.ensur\n    with: { slug: a }\n';
  beforeEach(async () => {
    await mkdir(join(cwd, 'pipelines', 'more'), { recursive: true });
    await mkdir(join(cwd, 'node_modules'));
    await writeFile(join(cwd, 'pipelines', 'a.yaml'), ingest('gross', '../data/rows.csv'));
    await writeFile(join(cwd, 'pipelines', 'more', 'b.yml'), broken);
    await writeFile(join(cwd, 'node_modules', 'c.yaml'), broken);
    await writeFile(join(cwd, 'compose.yaml'), 'services: {}\n');
  });

  test('is validated pipeline by pipeline, with those below it', async () => {
    const { code, out } = await portolan(['validate', '.', '-p', 'dataset=movies'], { cwd });
    expect(code).toBe(2);
    expect(out).toContain('pipelines/a.yaml is valid\n');
    expect(out).toContain("did you mean 'dataset.ensure'?");
    expect(out).not.toMatch(/c\.yaml|compose/);
    const { out: json } = await portolan(['validate', 'pipelines/more', 'pipelines/a.yaml', '--json'], { cwd });
    expect(JSON.parse(json)).toMatchObject({ file: 'pipelines/more/b.yml', code: 'unknown-step' });
  });

  test('is validated whole, whatever some of its files are', async () => {
    const right = 'name: r\nsteps:\n  a: { use: dataset.ensure, with: { slug: a } }\n';
    await mkdir(join(cwd, 'mixed'));
    const files: Record<string, string | Buffer> = {
      'broken.json': '{ "name": "q", "steps": { "a": { "use": "dataset.ensure", "with": { "slug": "a" } } }',
      'empty.mts': "import { definePipeline } from 'portolan';\n\nexport default definePipeline({});\n",
      'own.mts': 'export default 1;\n',
      'right.yaml': right,
      'typo.yaml': right.replace('steps:', 'step:'),
      'wide.yaml': Buffer.from(`\ufeff${right}`, 'utf16le'),
      'compose.yaml': 'name: web\nservices:\n  a: { image: x }\n',
      'workflow.yaml': 'name: ci\non: push\njobs:\n  a:\n    steps:\n      - uses: x\n',
      'rows.json': '[{ "steps": { "use": 1 } }]',
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, 'mixed', name), content);
    await symlink('nowhere.yaml', join(cwd, 'mixed', 'dangling.yaml'));
    const { code, out } = await portolan(['validate', 'mixed', '--json'], { cwd });
    expect(code).toBe(2);
    const named = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { file: string }).file);
    expect([...new Set(named)]).toEqual(
      ['broken.json', 'dangling.yaml', 'empty.mts', 'typo.yaml', 'wide.yaml'].map((name) => join('mixed', name)),
    );
    expect((await portolan(['validate', 'mixed'], { cwd })).out).toContain('mixed/right.yaml is valid\n');
  });

  test('has an environment where one of its files has, and a parameter likewise', async () => {
    const right = 'name: r\nsteps:\n  a: { use: dataset.ensure, with: { slug: a } }\n';
    await mkdir(join(cwd, 'some'));
    await writeFile(join(cwd, 'some', 'a.yaml'), right);
    await writeFile(join(cwd, 'some', 'b.yaml'), `${right}environments: { prod: {} }\n`);
    expect(await portolan(['validate', 'some', '--env', 'prod'], { cwd })).toEqual({
      code: 0,
      out: 'some/b.yaml is valid\n',
      err: "some/a.yaml is not checked: it has no environment 'prod'\n",
    });
    expect((await portolan(['validate', 'some', '--env', 'prd'], { cwd })).err).toContain("none of the files has an environment 'prd'");
    // A file that cannot be read to its end is no file without an environment.
    for (const broken of ['a: { use: dataset.ensure', `${right}environments: [prod]\n`, right.replace('name: r', '- r')]) {
      await writeFile(join(cwd, 'some', 'c.yaml'), broken.includes('steps') ? broken : right.replace(/a: .*/, broken));
      const { code, out } = await portolan(['validate', 'some', '--env', 'prod'], { cwd });
      expect([code, out]).toEqual([2, expect.stringMatching(/^some\/b.yaml is valid\nsome\/c.yaml:\d+:\d+ /)]);
    }
    await rm(join(cwd, 'some', 'c.yaml'));
    const unknown = await portolan(['validate', 'some', '-p', 'tpyo=1'], { cwd });
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("none of the files that were checked has a parameter 'tpyo'") });
  });

  test('without a pipeline is refused, and where one pipeline is meant it is refused with those that it has', async () => {
    expect((await portolan(['validate', 'data'], { cwd })).err).toContain('the folder data has no pipelines');
    expect(await portolan(['plan', '.'], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining('pipelines/more/b.yml') });
  });
});

test('under --json the findings of a file that cannot run are fields, not a text', async () => {
  const { code, out } = await portolan(['plan', await file('name: x\nsteps:\n  a:\n    use: dataset.ensur\n'), '--json'], { cwd });
  const error = JSON.parse(out) as { findings: object[] };
  expect(error).toMatchObject({
    type: 'error',
    message: expect.stringMatching(/^p\.yaml cannot run: \d findings?$/),
    file: 'p.yaml',
    exit: code,
  });
  expect(error.findings).toContainEqual({
    code: 'unknown-step',
    message: expect.stringContaining('dataset.ensur'),
    path: 'steps.a.use',
    line: 4,
    column: 10,
    corrected: '    use: dataset.ensure',
  });
});

test('a path that is typed means the folder in which it is typed, whatever the folder of the file', async () => {
  await mkdir(join(cwd, 'pipelines'));
  const text = ingest('gross', '${{ params.source }}').replace('params:', 'params:\n  source: { type: path, default: ../data/rows.csv }');
  await writeFile(join(cwd, 'pipelines', 'p.yaml'), text.replace('type: slug }', 'type: slug, default: rows }'));
  const plan = async (source: string, folder = cwd): Promise<number> => {
    const file = folder === cwd ? 'pipelines/p.yaml' : 'p.yaml';
    const named = source === '' ? [] : ['-p', `source=${source}`];
    return (await portolan(['plan', file, '--offline', '-c', 'local', ...named], { cwd: folder })).code;
  };
  expect(await plan('')).toBe(0);
  expect(await plan('data/rows.csv')).toBe(0);
  expect(await plan('../data/rows.csv', join(cwd, 'pipelines'))).toBe(0);
  expect(await plan('data/none.csv')).toBe(2);
});

describe('plan', () => {
  test('names writing calls, sends nothing and needs no dev for local', async () => {
    const { code, out } = await portolan(['plan', await file(ingest('gross')), '-p', 'dataset=movies', '-c', 'local', '--json'], { cwd });
    const found = JSON.parse(out);
    expect(code).toBe(0);
    expect(found.connections).toEqual({ maps: 'local' });
    expect(found.plan.concurrency).toEqual({ key: 'local/movies' });
    expect(found.steps.map(({ id, writing }: { id: string; writing: unknown }) => [id, writing])).toEqual([
      ['dataset', [0, 1]],
      ['rows', [0, 1]],
    ]);
    expect((await portolan(['plan', 'p.yaml', '-p', 'dataset=movies', '-c', 'local'], { cwd })).out).toContain('nothing irreversible');
  });

  test('says what an undo leaves as it is: steps of which nothing is said, and runs of pipelines, which are taken back by their own ids', async () => {
    const dataset = (undo: string): string => `name: sub
params: { slug: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.slug }}" }${undo} }
`;
    const look = '{ use: api.call, with: { operation: maps.projects.list, input: {} } }';
    await writeFile(join(cwd, 'sub.yaml'), dataset(`, undo: ${look}`));
    await writeFile(join(cwd, 'plain.yaml'), dataset(''));
    const steps = (file: string, undo: string): string => `name: above
connection: local
${undo === '' ? '' : 'onFailure: undo'}
steps:
  first: { use: dataset.ensure, with: { slug: first }${undo} }
  looks: ${look}
  bare: { use: dataset.ensure, with: { slug: bare } }
  way: { use: dataset.ensure, with: { slug: way }${undo === '' ? '' : ', undo: none'} }
  load: { use: ./${file}, with: { slug: second } }
  each:
    forEach: { items: [a1, b1] }
    steps: { one: { use: ./${file}, with: { slug: "\${{ item }}" } } }
finally:
  last: { use: dataset.ensure, with: { slug: last } }
`;
    const planned = async (text: string, ...more: string[]): Promise<string> =>
      (await portolan(['plan', await file(text), ...more], { cwd })).out;
    const undo = `, undo: ${look}`;
    const said = await planned(steps('sub.yaml', undo));
    expect(said.slice(said.indexOf('undone by'))).toMatchInlineSnapshot(`
      "undone by itself where the run fails, and by portolan undo RUN:
        first: api.call: The caller's datasets.
        way: no way back
        bare: stays as it is: nothing is said of its undo
        load: stays as it is: its run is taken back by its own id alone: portolan undo RUN.load
        each: stays as it is: the runs in it are taken back by their own ids alone: portolan runs --children
        last: stays as it is: what is done finally is not taken back
      "
    `);
    const { stays } = JSON.parse(await planned(steps('plain.yaml', undo), '--json')).undo as { stays: { step: string; why: string }[] };
    const nowhere = 'nothing is said of its undo, neither here nor in the file that it runs';
    expect(stays).toEqual([
      { step: 'bare', why: 'nothing is said of its undo' },
      { step: 'load', why: nowhere },
      { step: 'each', why: nowhere },
      { step: 'last', why: 'what is done finally is not taken back' },
    ]);
    // Of a file that speaks of no undo nothing is said.
    expect(await planned(steps('sub.yaml', ''))).not.toContain('stays');
  });

  test('says what a run lacks', async () => {
    await file(ingest('gross'));
    const { code, err } = await portolan(['plan', 'p.yaml'], { cwd });
    expect(code).toBe(2);
    expect(err).toContain('✗ p.yaml cannot run\n');
    expect(err).toContain('missing-param');
    expect(err).toContain('no-connection');
    expect((await portolan(['plan', 'p.yaml', '-p', 'dataset=movies', '-c', 'prod'], { cwd })).err).toContain(
      "connection 'prod' is not in portolan.config.mts",
    );
  });

  test('names a source whose rows it cannot count', async () => {
    const { code, err } = await portolan(
      ['plan', await file(ingest('gross', '/srv/elsewhere/rows.csv')), '-p', 'dataset=movies', '-c', 'local'],
      { cwd },
    );
    expect([code, err]).toEqual([0, expect.stringContaining('rows.csv: it is not on this host: its rows are not known')]);
  });

  test('ends with 2 where what is made of the rows would fail the step', async () => {
    await writeFile(join(cwd, 'prices.csv'), 'title;gross\nHeat;1,50\n');
    const { code, err } = await portolan(
      ['plan', await file(ingest('gross::double', 'prices.csv')), '-p', 'dataset=movies', '-c', 'local'],
      { cwd },
    );
    expect([code, err]).toEqual([2, expect.stringMatching(/prices\.csv: .*1,50.*: the step would fail\n/)]);
  });
});

test('steps shows every built-in step and each in full', async () => {
  const { out } = await portolan(['steps', '--json'], { cwd });
  const names = out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { name: string }).name);
  expect(names).toContain('dataset.append');
  for (const name of names) {
    const page = await portolan(['steps', name], { cwd });
    expect([page.code, page.out]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${name}: [^]*\\ninput\\n[^]*\\noutput\\n[^]*\\nexample\\n`)),
    ]);
  }
  expect((await portolan(['steps', 'dataset.apend'], { cwd })).err).toContain('did you mean dataset.append?');
});
