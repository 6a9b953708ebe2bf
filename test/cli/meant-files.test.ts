import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../pipelines/file/findings.ts';
import { portolan } from './support.ts';

let cwd: string;
const write = (name: string, text: string): Promise<void> => writeFile(join(cwd, name), text);

const load = 'name: load\nsteps:\n  films: { use: dataset.ensure, with: { slug: films } }\n';

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-meant-'));
  for (const folder of ['pipelines', 'lib', 'data', 'data/none']) await mkdir(join(cwd, folder));
  await write('pipelines/books.yaml', load);
  await write('pipelines/books.csv', 'id\n1\n');
  await write('lib/load.yaml', load);
  await write('data/films.csv', 'id,title\n1,One\n');
  await write('data/more.csv', 'id,title\n2,Two\n');
  await write('data/notes.json', '[]');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** What a command says on standard error. */
const said = async (...argv: string[]): Promise<string> => {
  const { code, err } = await portolan(argv, { cwd });
  return `${code} ${err}`;
};

describe('a pipeline file that is not there', () => {
  test.each([
    ['validate', 'pipelines/bookz.yaml'],
    ['plan', 'pipelines/bookz.yaml'],
    ['graph', 'pipelines/bookz.yaml'],
    ['validate', 'pipelines/books'],
    ['validate', 'pipelines/books.yml'],
    ['validate', 'pipelnes/books.yaml'],
  ])('%s %s names the one that was meant', async (verb, file) => {
    expect(await said(verb, file)).toContain(`2 ✗ there is no file ${file}; did you mean pipelines/books.yaml?\n`);
  });

  test('where none is alike nothing is meant', async () => {
    expect(await said('validate', 'pipelines/songs.yaml')).toContain('there is no file pipelines/songs.yaml\n');
  });

  const using = async (use: string, file = 'main.yaml'): Promise<Finding[]> => {
    await write(file, `name: main\nsteps:\n  one: { use: ${use} }\n`);
    const { out } = await portolan(['validate', file, '--json'], { cwd });
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Finding);
  };

  test.each([
    ['main.yaml', './lib/laod.yaml', './lib/load.yaml'],
    ['main.yaml', './lib/load.yml', './lib/load.yaml'],
    ['main.yaml', './lbi/load.yaml', './lib/load.yaml'],
    ['pipelines/main.yaml', '../lib/laod.yaml', '../lib/load.yaml'],
  ])('of a step of %s: use %s comes with the line that is valid', async (file, use, meant) => {
    expect(await using(use, file)).toMatchObject([
      {
        code: 'no-such-pipeline',
        message: `there is no file ${use}; did you mean '${meant}'?`,
        corrected: `  one: { use: ${meant} }`,
      },
    ]);
    expect(await using(meant, file)).toEqual([]);
  });

  test('of a step, the file of the step itself is never meant', async () => {
    const [found, ...others] = await using('./mian.yaml');
    expect(others).toEqual([]);
    expect(found).toMatchObject({ message: 'there is no file ./mian.yaml', remedy: expect.stringContaining('path of a pipeline file') });
  });
});

describe('a table that cannot be read', () => {
  test('preview and init name the one that was meant', async () => {
    expect(await said('preview', 'data/fims.csv')).toMatch(/^1 ✗ .*data\/fims\.csv: no such file; did you mean data\/films\.csv\?\n$/);
    expect(await said('init', '--from', 'data/films.tsv')).toMatch(
      /^1 ✗ .*data\/films\.tsv: no such file; did you mean data\/films\.csv\?\n$/,
    );
    expect(await said('preview', 'data/songs.csv')).toMatch(/data\/songs\.csv: no such file\n$/);
  });

  test('a folder comes with the pattern of its files, as where a run names it', async () => {
    const pattern = /is a folder\n +name its files: .*data\/\*\.csv/;
    expect(await said('preview', 'data')).toMatch(pattern);
    expect(await said('preview', 'data', '--sql', 'select id from source')).toMatch(pattern);
    expect(await said('init', '--from', 'data')).toMatch(pattern);
    await write(
      'rows.yaml',
      'name: rows\nparams: { source: { type: path } }\nsteps:\n  rows: { use: dataset.append, with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: "${{ params.source }}", id: { column: id } } }\n',
    );
    expect((await portolan(['validate', 'rows.yaml', '-p', 'source=data'], { cwd })).out).toMatch(pattern);
    expect((await portolan(['preview', 'data/*.csv'], { cwd })).code).toBe(0);
  });
});
