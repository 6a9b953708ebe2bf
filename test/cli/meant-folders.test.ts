import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portolan } from './support.ts';

let cwd: string;

const rows = (source: string): string =>
  `name: rows\nsteps:\n  rows: { use: dataset.append, with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: ${source}, id: { column: id } } }\n`;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-meant-folders-'));
  const files = {
    'dta/films.csv': 'id\n1\n',
    'dta/deep/books.csv': 'id\n1\n',
    'data/songs.csv': 'id\n1\n',
    'far/away.csv': 'id\n1\n',
    'daten/none.csv': 'id\n1\n',
    'lib/load.yaml': rows('../dta/films.csv'),
    'libs/other.yaml': rows('../dta/films.csv'),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(cwd, dirname(name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const validated = async (source: string): Promise<string> => {
  await writeFile(join(cwd, 'main.yaml'), rows(source));
  return (await portolan(['validate', 'main.yaml'], { cwd })).out;
};

test('of a file that is not there the same in a folder of a near name is meant, also where the folder that is named is there', async () => {
  expect(await validated('data/films.csv')).toMatch(
    /there is no .*data\/films\.csv; did you mean dta\/films\.csv\?\n.*source: dta\/films\.csv,/,
  );
  expect(await validated('dat/films.csv')).toMatch(/there is no .*dat; did you mean dta\/films\.csv\?\n/);
  expect(await validated('dtaa/deep/books.csv')).toMatch(/there is no .*dtaa; did you mean dta\/deep\/books\.csv\?\n/);
});

test('a folder of another name, or one without that file, is not meant', async () => {
  expect(await validated('data/away.csv')).toMatch(/there is no .*data\/away\.csv\n/);
  expect(await validated('dta/nothing.csv')).toMatch(/there is no .*dta\/nothing\.csv\n/);
});

test('a name that is spelt alike in the folder itself is meant first', async () => {
  await writeFile(join(cwd, 'dta/song.csv'), 'id\n1\n');
  expect(await validated('data/song.csv')).toMatch(/did you mean data\/songs\.csv\?/);
});

test('the folder of a pipeline is taken for another one as that of a table is', async () => {
  const { code, err } = await portolan(['validate', 'libs/load.yaml'], { cwd });
  expect(`${code} ${err}`).toContain('2 ✗ there is no file libs/load.yaml; did you mean lib/load.yaml?\n');
});
