import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { slugOf } from '../../cli/first-pipeline/write.ts';
import { slugPattern } from '../../text/slug.ts';
import { sample } from '../child/support.ts';
import { portolan } from './support.ts';

type Made = {
  params: Record<string, { default: string }>;
  steps: Record<string, { use: string; with: Record<string, any>; tolerate?: unknown }>;
};

type Project = AsyncDisposable & {
  dir: string;
  /** Writes a table, makes a pipeline of it, and returns what was said and written. */
  make(name: string, bytes: string | Uint8Array, argv?: string[]): Promise<{ code: number; out: string; err: string; made: Made }>;
  validate(): Promise<{ code: number; out: string; err: string }>;
};

async function createProject(): Promise<Project> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-init-'));
  let last = '';
  return {
    dir,
    async make(name, bytes, argv = []) {
      await mkdir(join(dir, 'data'), { recursive: true });
      await writeFile(join(dir, 'data', name), bytes);
      const said = await portolan(['init', '--from', `data/${name}`, ...argv], { cwd: dir });
      last = /^(?:wrote|kept ) (pipelines\/\S+)$/m.exec(said.out)?.[1] ?? '';
      // It asks for the package, which is not installed in a folder of a test.
      await rm(join(dir, 'portolan.config.mts'), { force: true });
      return { ...said, made: parse(await readFile(join(dir, last), 'utf8').catch(() => '{}')) as Made };
    },
    validate: () => portolan(['validate', last], { cwd: dir }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

const films = [
  'id,title,year,genre,homepage,released,shown,plot',
  ...Array.from(
    { length: 30 },
    (_, at) =>
      `f${at},"Film, the ${at}th",${1990 + at},${at % 2 ? 'War' : 'Drama'},https://x.example/${at},Jun ${at + 1} 1998,${1998 + at}-06-01 18:30 / ${1998 + at}-06-02 21:15 / ${1998 + at}-06-03 20:00,Somebody walks home through ${at} towns`,
  ),
].join('\n');

test('id, text and columns of a table are guessed, and said', async () => {
  await using project = await createProject();
  const { code, out, made } = await project.make('films.csv', films);
  expect(code).toBe(0);
  expect(made.params).toMatchObject({ source: { default: '../data/films.csv' }, dataset: { default: 'films' } });
  expect(made.steps['rows']).toMatchObject({
    use: 'dataset.append',
    with: { id: { column: 'id' }, columns: { title: 'title', year: 'year', text: `concat_ws('. ', "title", "plot")` } },
  });
  expect(made.steps['rows']!.with['columns']).not.toHaveProperty('id');
  expect(made.steps['map']).toMatchObject({ use: 'index.build', with: { embed: 'text' } });
  expect(out).toMatch(/id +id: differs in each of the 30 rows/);
  expect(out).toMatch(/embed +text: title and plot together/);
  expect(out).toMatch(/next: .*portolan run pipelines\/films\.yaml/);
  expect(await project.validate()).toMatchObject({ code: 0 });
});

test.each(['2024', 'true', '0x1f'])('a table called %s.csv has its name in quotes', async (name) => {
  await using project = await createProject();
  const { made } = await project.make(`${name}.csv`, films);
  expect([made, made.params]).toMatchObject([{ name }, { dataset: { default: name } }]);
  expect(await project.validate()).toMatchObject({ code: 0 });
});

test('a column whose name no field can have gets another one', async () => {
  await using project = await createProject();
  const { made } = await project.make('words.json', JSON.stringify([{ key: 'a', constructor: 'Brunel' }]));
  expect(made.steps['rows']!.with['columns']).toMatchObject({ constructor_2: 'constructor' });
  expect(await project.validate()).toMatchObject({ code: 0 });
});

test.each(['id', 'ID'])("a column %s that is no key gets another name, since a dataset's own id has that one", async (name) => {
  await using project = await createProject();
  const rows = Array.from({ length: 30 }, (_, at) => `${at % 7},Somebody walks home through ${at % 25} towns\n`).join('');
  const { made } = await project.make('twice.csv', `${name},plot\n${rows}`);
  expect(made.steps['rows']!.with).toMatchObject({ id: { row: true }, columns: { source_id: name, plot: 'plot' } });
  expect(made.steps['rows']!.with['columns']).not.toHaveProperty(name);
  const texts = await project.make('texts.csv', `${name},source_id\n${rows.replaceAll(/^(\d+),(.*)$/gm, '$2,$1')}`);
  expect(texts.made.steps['rows']!.with['columns']).toEqual({ source_id_2: name, source_id: 'source_id' });
  expect(texts.made.steps['map']!.with['embed']).toBe('source_id_2');
  expect(await project.validate()).toMatchObject({ code: 0 });
});

test('what preview says of a table is said beside the guesses', async () => {
  await using project = await createProject();
  const { out } = await project.make('titled.csv', 'Films of 2024\nid,title,year\n1,Up,2009\n2,Heat,1995\n');
  expect(out).toMatch(/note +Films of 2024: the lines behind line 1 have 3 values each: where that is a title, say csv: { skip: 1 }/);
});

test('a table without a key, and one without texts or with few rows, make pipelines that say so', async () => {
  await using project = await createProject();
  const rows = Array.from({ length: 40 }, (_, at) => `${at % 7},${at / 3},${at % 2 ? 'red' : 'blue'}`).join('\n');
  const numbers = await project.make('numbers.csv', `a,b,kind\n${rows}\n`);
  expect(numbers.made.steps['rows']!.with['id']).toEqual({ row: true });
  expect(numbers.made.steps).not.toHaveProperty('map');
  expect(numbers.out).toMatch(/embed +no column of texts looks worth embedding/);
  expect(await project.validate()).toMatchObject({ code: 0 });
  const few = await project.make('few.csv', 'id,title\n1,One of a few\n2,Another of them\n');
  expect(few.made.steps).not.toHaveProperty('map');
  expect(few.out).toMatch(/a map needs 20 rows, and there are 2/);
  expect(await project.validate()).toMatchObject({ code: 0 });
});

test('what preview takes, init takes, and writes it into the pipeline', async () => {
  await using project = await createProject();
  const text = `Informe\nnúmero;descripción;${'${{ x }}'}\n${Array.from({ length: 25 }, (_, at) => `${at};la casa número ${at};${at},5`).join('\n')}\n`;
  const { made, code } = await project.make('casas-1.csv.gz', gzipSync(Buffer.from(text, 'latin1')), [
    '--csv',
    '{ encoding: windows-1252, skip: 1, decimal: "," }',
    '--file-column',
    'archivo',
    '--name',
    'casas',
  ]);
  expect(code).toBe(0);
  expect(made.steps['rows']!.with['source']).toEqual({
    path: '../data/casas-1.csv.gz',
    csv: { encoding: 'windows-1252', skip: 1, decimal: ',' },
    fileColumn: 'archivo',
  });
  expect(made.steps['rows']!.with).toMatchObject({ id: { column: 'número' }, columns: { descripción: 'descripción', archivo: 'archivo' } });
  expect(await project.validate()).toMatchObject({ code: 0, err: '' });
});

test('a sheet of a workbook makes a pipeline that names it', async () => {
  await using project = await createProject();
  const workbook = await readFile(new URL('../child/workbooks/kinds.xlsx', import.meta.url));
  const { made, code } = await project.make('films.xlsx', workbook, ['--excel', '{ sheet: Films, skip: 2 }']);
  expect(code).toBe(0);
  expect(made.steps['rows']!.with).toMatchObject({
    source: { path: '../data/films.xlsx', excel: { sheet: 'Films', skip: 2 } },
    columns: { share: 'share', day: 'day', text: 'text' },
  });
  expect(await project.validate()).toMatchObject({ code: 0, err: '' });
});

test('what is there stays, and a table that is none leaves nothing behind', async () => {
  await using project = await createProject();
  await project.make('films.csv', films);
  const before = await readFile(join(project.dir, 'pipelines/films.yaml'), 'utf8');
  const again = await project.make('films.csv', films.replaceAll('plot', 'story'));
  expect(again.err).toMatch(/pipelines\/films\.yaml is there already and stays as it is; another name: .*--name NAME/);
  expect(await readFile(join(project.dir, 'pipelines/films.yaml'), 'utf8')).toBe(before);
  await using empty = await createProject();
  const none = await portolan(['init', '--from', 'nothing.csv'], { cwd: empty.dir });
  expect(none).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/nothing\.csv: no such file/) });
  expect(await portolan(['init', '--name', 'x'], { cwd: empty.dir })).toMatchObject({ code: 2 });
});

const tables = ['movies.json', 'cars.json', 'penguins.json', 'airports.csv', 'seattle-weather.csv', 'flights-200k.arrow', 'countries.json'];

test.each(tables)(
  'the first pipeline of %s is valid as it is written',
  async (name) => {
    await using project = await createProject();
    await mkdir(join(project.dir, 'data'), { recursive: true });
    await cp(sample(name), join(project.dir, 'data', name));
    const { code } = await project.make(name, await readFile(sample(name)));
    expect(code).toBe(0);
    expect(await project.validate()).toMatchObject({ code: 0 });
  },
  60_000,
);

test('whatever a file is called, its name becomes that of a dataset', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      expect(slugOf(`data/${name.replaceAll('/', '')}.csv`)).toMatch(slugPattern);
    }),
  );
  expect(['data/Häuser 2024.csv', 'flights-*.parquet', 'a.b.csv.gz', '日本.csv', 'x/{a,b}-list.csv'].map(slugOf)).toEqual([
    'hauser-2024',
    'flights',
    'a-b',
    'table',
    'a-b-list',
  ]);
});
