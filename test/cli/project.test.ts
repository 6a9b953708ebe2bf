import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stateCode } from '../../cli/project/project.ts';
import { portolan } from './support.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-cli-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const read = (name: string): Promise<string> => readFile(join(cwd, name), 'utf8');

const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The project has the package, as `npm install FOLDER` leaves it. */
const install = async (): Promise<void> => {
  await mkdir(join(cwd, 'node_modules'));
  await symlink(checkout, join(cwd, 'node_modules', 'portolan'));
};

describe('init', () => {
  test.skipIf(process.platform === 'win32')('that finds no room leaves no half of a file, which the next one would keep', async () => {
    const bin = join(checkout, 'cli', 'bin.ts');
    // No file may grow, as on a full disk; the output is a pipe.
    const limited = promisify(execFile)('sh', ['-c', `ulimit -f 0; exec '${process.execPath}' '${bin}' init`], { cwd });
    await expect(limited).rejects.toMatchObject({ stderr: expect.stringContaining('EFBIG') });
    expect(await readdir(cwd)).toEqual([]);
    expect((await portolan(['init'], { cwd })).code).toBe(0);
    expect(await read('portolan.config.mts')).toContain('export default');
  });

  test('names what to install first where the package is not there, with a command that works', async () => {
    const { out } = await portolan(['init'], { cwd });
    expect(out).toContain(`first: npm install ${checkout}\n`);
    await promisify(execFile)('npm', ['install', '--ignore-scripts', '--offline', '--no-audit', checkout], { cwd });
    const again = await portolan(['init'], { cwd });
    expect([again.code, again.out]).toEqual([0, expect.not.stringContaining('npm install')]);
  });

  test('makes a project and overwrites nothing', async () => {
    await writeFile(join(cwd, 'tsconfig.json'), 'mine');
    await writeFile(join(cwd, '.gitignore'), 'dist\n/node_modules');
    await writeFile(join(cwd, 'package.json'), '{"type":"commonjs"}');
    await install();
    const { code, out } = await portolan(['init'], { cwd });
    expect({ code, out }).toMatchInlineSnapshot(`
      {
        "code": 0,
        "out": "wrote portolan.config.mts
      wrote pipelines/hello.yaml
      kept  tsconfig.json
      wrote .gitignore
      next: npx portolan step new greet && npx portolan dev --detach && npx portolan run pipelines/hello.yaml --connection local
      ",
      }
    `);
    expect(await read('tsconfig.json')).toBe('mine');
    expect(await read('package.json')).toBe('{"type":"commonjs"}');
    expect(await read('.gitignore')).toBe('dist\n/node_modules\n.portolan/\n');
    const config = await read('portolan.config.mts');
    expect((await portolan(['init'], { cwd })).out).not.toContain('wrote');
    expect(await read('portolan.config.mts')).toBe(config);
    expect(await read('.gitignore')).toBe('dist\n/node_modules\n.portolan/\n');
  });

  test('its pipeline uses the step that step new greet makes', async () => {
    await portolan(['init'], { cwd });
    // The project of a user has the package installed; here its configuration cannot be loaded.
    await rm(join(cwd, 'portolan.config.mts'));
    const { code, out } = await portolan(['step', 'new', 'greet'], { cwd });
    expect(code).toBe(0);
    expect(out).toContain('wrote steps/greet.mts: the step own.greet');
    expect(await read('pipelines/hello.yaml')).toContain('use: own.greet ');
    expect(await read('steps/greet.mts')).toContain("name: 'own.greet'");
  });
});

describe('step new', () => {
  test('keeps a name with a dot and refuses what is there or no name', async () => {
    expect((await portolan(['step', 'new', 'acme.invoice'], { cwd })).out).toContain('wrote steps/acme-invoice.mts: the step acme.invoice');
    const again = await portolan(['step', 'new', 'acme.invoice'], { cwd });
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('is there already; nothing was written')]);
    for (const name of ['../evil', 'Greet', 'a.b.c', '']) expect((await portolan(['step', 'new', name], { cwd })).code).toBe(2);
  });

  test.each([
    [['own/*.mts'], 'own/greet.mts'],
    [['own/lib.mts', './more/**/*.mts'], 'more/greet.mts'],
    [['**/steps/*.mts'], 'steps/greet.mts'],
    [['own/*/steps/*.mts'], undefined],
    [['{a,b}/*.mts'], undefined],
    [['own/lib.mts'], undefined],
    [[], undefined],
  ])('writes where the project takes it, or says that it takes none: %j', async (steps, file) => {
    await mkdir(join(cwd, 'own'));
    await writeFile(join(cwd, 'own', 'lib.mts'), '');
    await writeFile(join(cwd, 'portolan.config.mts'), `export default ${JSON.stringify({ steps })};`);
    const { code, out, err } = await portolan(['step', 'new', 'greet'], { cwd });
    if (file === undefined) expect([code, err]).toEqual([2, expect.stringContaining("in portolan.config.mts: steps: ['steps/*.mts']")]);
    else expect([code, out, await read(file)]).toEqual([0, expect.stringContaining(`wrote ${file}`), expect.stringContaining('own.greet')]);
  });
});

test.each([
  ['done', undefined, 0],
  ['running', undefined, 0],
  ['failed', 'BadInput', 1],
  ['failed', 'Inconclusive', 4],
  ['failed', 'NeedsApproval', 3],
  ['cancelled', undefined, 1],
  ['approval', undefined, 3],
] as const)('a run that is %s (%s) ends its command %i', (state, type, code) => {
  const error = type === undefined ? {} : { error: { type, message: '' } };
  expect(stateCode({ run: 'r', pipeline: 'p', state, steps: [], ...error })).toBe(code);
});

describe('verbs about runs', () => {
  test.each([
    ['runs'],
    ['status', 'x'],
    ['why', 'x'],
    ['items', 'x'],
    ['report', 'x'],
    ['pause', 'x'],
    ['resume', 'x'],
    ['cancel', 'x'],
    ['approve', 'x', 'y'],
    ['reject', 'x', 'y'],
  ])('%s without Temporal says how to get one', async (...argv) => {
    const { code, err } = await portolan(argv, { cwd });
    expect(code).toBe(2);
    expect(err).toContain('portolan dev');
  });

  test('a server that is gone is named with its address', async () => {
    await writeFile(join(cwd, 'portolan.config.mts'), "export default { temporal: { address: '127.0.0.1:9' } };");
    const { code, err } = await portolan(['runs'], { cwd });
    expect([code, err]).toEqual([
      1,
      '✗ no Temporal server answers at 127.0.0.1:9 (named by portolan.config.mts): the connection was refused: nothing listens there\n  check `temporal` in portolan.config.mts and the network\n',
    ]);
  });
});

test('a file whose folder is missing is found before the run where it lies in the project, above the folder of the pipeline too', async () => {
  for (const folder of ['pipelines', 'data']) await mkdir(join(cwd, folder));
  await writeFile(join(cwd, 'portolan.config.mts'), 'export default {};\n');
  await writeFile(join(cwd, 'data/words.json'), '[{"id":"a"}]');
  await writeFile(
    join(cwd, 'pipelines/words.yaml'),
    'name: words\nsteps:\n  dataset: { use: dataset.ensure, with: { slug: words } }\n  rows: { use: dataset.append, with: { dataset: "${{ steps.dataset.id }}", source: ../dta/words.json, id: { column: id } } }\n',
  );
  const { code, out, err } = await portolan(['validate', 'pipelines/words.yaml'], { cwd });
  expect([code, out + err]).toEqual([2, expect.stringMatching(/no-such-file[^]*did you mean \.\.\/data\/words\.json/)]);
});
