import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portolan } from './support.ts';

let cwd = '';

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-graph-'));
  await writeFile(
    join(cwd, 'small.yaml'),
    `name: small
params: { source: { type: path } }
connection: local
steps:
  dataset: { use: dataset.ensure, with: { slug: small } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true } } }
`,
  );
  await writeFile(join(cwd, 'wrong.yaml'), 'name: wrong\nsteps:\n  one: { use: dataset.ensur, with: { slug: x } }\n');
});

afterAll(() => rm(cwd, { recursive: true }));

test('a file is drawn although its parameters have no value', async () => {
  expect(await portolan(['graph', 'small.yaml'], { cwd })).toEqual({
    code: 0,
    err: '',
    out: `flowchart TD
  step_dataset["dataset<br/>dataset.ensure"]
  step_rows[["rows<br/>dataset.append"]]
  step_dataset --> step_rows
`,
  });
});

test('a loop over rows says of which file they are, wherever that is and in what order it is written', async () => {
  const drawn = async (rows: string): Promise<string> => {
    await writeFile(
      join(cwd, 'over.yaml'),
      `name: over\nconnection: local\nsteps:\n  all:\n    forEach: { key: email, rows: ${rows} }\n    steps: { one: { use: api.call, with: { operation: maps.projects.list, input: {} } } }\n`,
    );
    return (await portolan(['graph', 'over.yaml'], { cwd })).out;
  };
  expect(await drawn('{ s3: "s3://guests/all.parquet", storage: team }')).toContain('for each of s3://guests/all.parquet');
  expect(await drawn('{ sql: "select * from t", tables: { t: guests.csv } }')).toContain('for each of the rows of a query');
});

test('a configuration that cannot be read is refused', async () => {
  const broken = await mkdtemp(join(cwd, 'broken-'));
  await writeFile(join(broken, 'portolan.config.mts'), 'export default {;\n');
  await writeFile(join(broken, 'small.yaml'), await readFile(join(cwd, 'small.yaml')));
  expect(await portolan(['graph', 'small.yaml'], { cwd: broken })).toMatchObject({ code: 2, out: '' });
});

test('--out writes a picture by its name, or in the format that is asked for', async () => {
  expect(await portolan(['graph', 'small.yaml', '--out', 'small.svg'], { cwd })).toEqual({ code: 0, err: 'written: small.svg\n', out: '' });
  expect(await readFile(join(cwd, 'small.svg'), 'utf8')).toMatch(
    /^<svg xmlns=[^]*<title>Steps of small<\/title>[^]*>dataset.append<[^]*<\/svg>\n$/,
  );
  await portolan(['graph', 'small.yaml', '--out', 'small.txt', '--format', 'svg'], { cwd });
  expect(await readFile(join(cwd, 'small.txt'), 'utf8')).toBe(await readFile(join(cwd, 'small.svg'), 'utf8'));
});

test('--out leaves a link, a pipe and a folder what they are', async () => {
  await writeFile(join(cwd, 'real.svg'), 'before');
  await symlink('real.svg', join(cwd, 'link.svg'));
  await symlink('later.svg', join(cwd, 'early.svg'));
  for (const [link, real] of [
    ['link.svg', 'real.svg'],
    ['early.svg', 'later.svg'],
  ] as const) {
    expect(await portolan(['graph', 'small.yaml', '--out', link], { cwd })).toMatchObject({ code: 0 });
    expect((await lstat(join(cwd, link))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(cwd, real), 'utf8')).toMatch(/^<svg /);
  }
  execFileSync('mkfifo', [join(cwd, 'pipe.mmd')]);
  const [read] = await Promise.all([
    readFile(join(cwd, 'pipe.mmd'), { encoding: 'utf8', signal: AbortSignal.timeout(300_000) }),
    portolan(['graph', 'small.yaml', '--out', 'pipe.mmd'], { cwd }),
  ]);
  expect(read).toMatch(/^flowchart TD\n/);
  expect((await lstat(join(cwd, 'pipe.mmd'))).isFIFO()).toBe(true);
  await mkdir(join(cwd, 'pictures'));
  expect(await portolan(['graph', 'small.yaml', '--out', 'pictures'], { cwd })).toMatchObject({
    code: 2,
    err: '✗ --out pictures is a folder\n  name a file in it\n',
  });
  expect(await portolan(['graph', 'small.yaml', '--out', ''], { cwd })).toMatchObject({
    code: 2,
    err: expect.stringContaining('--out has no name'),
  });
});

test('--out keeps the mode of a file, makes one where a link in a linked folder leads, and writes into what is open', async () => {
  await writeFile(join(cwd, 'mine.svg'), 'before');
  for (const mode of [0o600, 0o666]) {
    await chmod(join(cwd, 'mine.svg'), mode);
    expect(await portolan(['graph', 'small.yaml', '--out', 'mine.svg'], { cwd })).toMatchObject({ code: 0 });
    expect((await stat(join(cwd, 'mine.svg'))).mode & 0o777).toBe(mode);
  }
  await mkdir(join(cwd, 'far', 'real'), { recursive: true });
  await symlink('far/real', join(cwd, 'near'));
  await symlink('../made.svg', join(cwd, 'far', 'real', 'link.svg'));
  expect(await portolan(['graph', 'small.yaml', '--out', 'near/link.svg'], { cwd })).toMatchObject({ code: 0 });
  expect(await readFile(join(cwd, 'far', 'made.svg'), 'utf8')).toMatch(/^<svg /);
  const open = openSync(join(cwd, 'open.txt'), 'w+');
  expect(await portolan(['graph', 'small.yaml', '--out', `/dev/fd/${open}`, '--format', 'svg'], { cwd })).toMatchObject({ code: 0 });
  expect(readFileSync(open, 'utf8')).toMatch(/^<svg /);
  closeSync(open);
});

test('a name whose ending is of no format is refused, with those there are, and nothing is written', async () => {
  expect(await portolan(['graph', 'small.yaml', '--out', 'small.png'], { cwd })).toEqual({
    code: 2,
    out: '',
    err: "✗ --out small.png: no format is called '.png'\n  name the file .mmd, .mermaid, .md, .txt (mermaid) or .svg (svg), or say --format\n",
  });
  await expect(readFile(join(cwd, 'small.png'))).rejects.toMatchObject({ code: 'ENOENT' });
  await portolan(['graph', 'small.yaml', '--out', 'small.mmd'], { cwd });
  expect(await readFile(join(cwd, 'small.mmd'), 'utf8')).toMatch(/^flowchart TD\n/);
});

test('a file that cannot be drawn is refused with what is wrong with it, a format that there is not with those there are', async () => {
  expect(await portolan(['graph', 'wrong.yaml'], { cwd })).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('dataset.ensure'),
  });
  expect(await portolan(['graph', 'none.yaml'], { cwd })).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no file none.yaml'),
  });
  expect(await portolan(['graph', 'small.yaml', '--format', 'png'], { cwd })).toMatchObject({
    code: 2,
    err: expect.stringContaining("there is no format 'png'; there are mermaid, svg"),
  });
});
