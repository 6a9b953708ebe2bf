import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main } from '../../cli/frame/main.ts';
import type { Preview } from '../../child/preview.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portolan-preview-'));
  const rows = [
    {
      id: 1,
      _hidden: 'x',
      flag: true,
      tags: ['a'],
      'US Gross': 5e9,
      when: '2024-01-02',
      share: 0.1,
      vec: [1, 2],
      title: 'One\u001b[31m red',
    },
    { id: 2, _hidden: 'y', flag: false, tags: [], 'US Gross': 7, when: '2024-01-03', share: 16777217, vec: [3, 4], title: '' },
    { id: 3, _hidden: 'z', flag: null, tags: null, 'US Gross': null, when: null, share: null, vec: null, title: null },
  ];
  await writeFile(join(folder, 'odd.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  await writeFile(join(folder, 'part-1.csv'), 'name;born;note\r\n"a;b";02/01/2024;\r\n');
  await writeFile(join(folder, 'part-2.csv'), 'name;born;note\r\n"c;d";03/02/2024;x\r\n');
  await writeFile(join(folder, 'bad.json'), '[{"a":1');
  await writeFile(join(folder, 'none.csv'), 'n\n1\n');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function preview(argv: string[], columns = 100): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await main(['preview', ...argv], {
    cwd: folder,
    stdout: { write: (text: string) => ((out += text), true) },
    stderr: { write: (text: string) => ((err += text), true) },
    tty: false,
    columns,
    env: {},
  });
  return { code, out, err };
}

test('every type rule is shown with its count and its remedy', async () => {
  const { code, out } = await preview(['odd.jsonl'], 200);
  expect(code).toBe(0);
  const line = (name: string): string =>
    out
      .split('\n')
      .find((each) => each.trimStart().startsWith(`${name} `))!
      .trim();
  expect(out.split('\n')[0]).toMatch(/^odd\.jsonl {2}JSON · \d+ B · 3 rows · 9 columns$/);
  expect(line('id')).toMatch(/BIGINT +int32 +all fit$/);
  expect(line('_hidden')).toMatch(/none +refused: a name may not begin with _/);
  expect(line('flag')).toMatch(/BOOLEAN +none +refused: .*make it "flag"::varchar/);
  expect(line('tags')).toMatch(/VARCHAR\[\] +none +refused: .*to_json\("tags"\)::varchar/);
  expect(line('US Gross')).toMatch(/int32 +1 of 3 does not fit int32: its row is refused; to keep it: "US Gross"::varchar; 1 null$/);
  expect(line('when')).toMatch(/DATE +timestamp +midnight UTC; 1 null$/);
  expect(line('share')).toMatch(/DOUBLE +float32 +1 whole number beyond 16,777,216 rounded; 1 null$/);
  expect(line('title')).toMatch(/string +2 empty or null: the text 'null'$/);
  expect(out).toContain('! 4 columns refused as they are; 1 of 3 rows refused for a value');
  expect(out).toContain(
    `    hidden: _hidden   # makes x and y\n    flag: '"flag"::varchar'   # makes true and false\n    tags: 'to_json("tags")::varchar'   # makes ["a"] and []\n`,
  );
  expect(out).toContain('in expressions such names stand in double quotes: "US Gross"');
  expect(out, 'nothing of the file reaches the terminal as a command').not.toContain('\u001b');
});

test('a CSV dialect is shown as it was sniffed, for a glob once', async () => {
  const { code, out } = await preview(['part-*.csv']);
  expect(code).toBe(0);
  expect(out).toMatch(/^part-\*\.csv {2}CSV · 2 files · \d+ B · 2 rows · 3 columns$/m);
  const text = out.replace(/\s+/g, ' ');
  expect(text).toMatch(
    /delimiter ; · quote " · escape .+ · header in the first line · lines end in \\r\\n · UTF-8 born: dates of which nothing says whether day or month comes first: they stay text; say csv:/,
  );
  expect(text.match(/delimiter/g)).toHaveLength(1);
  expect(out).toMatch(/^all 2 rows; ∅ is null\n {2}name +born +note\n {2}a;b +02\/01\/2024 +∅\n {2}c;d +03\/02\/2024 +x\n$/m);
});

test.each([60, 80, 120, 200])('fits a terminal of %i columns', async (width) => {
  for (const file of ['odd.jsonl', 'part-*.csv']) {
    const { out } = await preview([file], width);
    for (const line of out.split('\n')) expect(Array.from(line).length, line).toBeLessThanOrEqual(width);
  }
});

test('--json says all of it, --rows how many, --sql reads the file as source', async () => {
  const { out } = await preview([
    'odd.jsonl',
    '--rows',
    '1',
    '--json',
    '--sql',
    'select id, "US Gross" as gross from source order by id desc',
  ]);
  expect(JSON.parse(out) as Preview).toMatchObject({
    tables: [{ table: 'source', type: 'json', files: 1, names: ['odd.jsonl'] }],
    rows: 3,
    refusedRows: 1,
    columns: [
      { name: 'id', as: 'int32', refused: 0 },
      { name: 'gross', as: 'int32', refused: 1, nulls: 1 },
    ],
    sample: [['3', null]],
  });
  const vectors = JSON.parse((await preview(['odd.jsonl', '--json', '--sql', 'select vec as _embeddings from source'])).out) as Preview;
  expect(vectors.columns).toMatchObject([{ as: 'vector', width: 2, refused: 1 }]);
});

test.each([
  [['nothing.csv'], 1, /nothing\.csv: no such file/],
  [['nothing-*.csv'], 1, /nothing-\*\.csv: no file matches/],
  [['bad.json'], 1, /bad\.json: /],
  [['odd.jsonl', '--sql', 'select * from source limit 1'], 1, /limit without order by/],
  [['odd.jsonl', '--sql', "select * from read_text('/etc/hostname')"], 1, /a table function is not allowed/],
  [['odd.jsonl', '--rows', 'many'], 2, /--rows is a whole number/],
] as [string[], number, RegExp][])('%j ends with its exit code', async (argv, code, message) => {
  const said = await preview(argv);
  expect({ code: said.code, out: said.out }).toEqual({ code, out: '' });
  expect(said.err).toMatch(message);
});

test('--csv says how a file is written, and what is wrong with what it says', async () => {
  const { code, out } = await preview(['part-*.csv', '--csv', '{ dateFormat: "%d/%m/%Y" }']);
  expect(code).toBe(0);
  expect(out).toMatch(/born +DATE +timestamp/);
  expect(out).toMatch(/born is read as %d\/%m\/%Y: every value of it is that/);
  const wrong = await preview(['part-*.csv', '--csv', '{ dateformat: x }']);
  expect(wrong).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--csv: .*dateformat.*did you mean 'dateFormat'\?; for example --csv/s),
  });
  expect((await preview(['part-*.csv', '--csv', '{ sep: ";" }'])).err).toContain("did you mean 'delimiter'?");
  expect((await preview(['part-*.csv', '--csv', '{ foo: ";" }'])).err).toContain('there are delimiter, quote, escape');
  expect((await preview(['part-*.csv', '--csv', '{ delimiter: "${{ params.d }}" }'])).code).toBe(2);
  for (const text of ['{ x', '{ delimiter: ";"', ': : [', '*a'])
    expect([text, await preview(['part-*.csv', '--csv', text])]).toMatchObject([
      text,
      { code: 2, err: expect.stringMatching(/✗ --csv: is not YAML: .+; for example --csv '\{/) },
    ]);
});

test('--excel says which sheet is read, and preview shows it', async () => {
  await copyFile(fileURLToPath(new URL('../child/workbooks/sheets.xlsx', import.meta.url)), join(folder, 'sheets.xlsx'));
  const { code, out } = await preview(['sheets.xlsx', '--excel', '{ sheet: Films }']);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^sheets\.xlsx {2}Excel · .* · 1 row · 2 columns$/m) });
  expect(out).toMatch(/^ {2}sheet Films · header in row 1 · not read: Actors, Old, Empty, Chart$/m);
  const several = await preview(['sheets.xlsx']);
  expect(several).toMatchObject({ code: 1, err: expect.stringMatching(/Films, Actors; say which one: excel: { sheet: Films }/) });
  const wrong = await preview(['sheets.xlsx', '--excel', '{ sheets: Films }']);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/--excel: .*sheets.*for example --excel/s) });
});

test('a table without rows is no table that fits', async () => {
  const { out } = await preview(['none.csv', '--sql', 'select * from source where n > 1']);
  expect(out).toContain('! a table without rows: a run refuses it');
  expect(out).not.toContain('all fit');
});
