import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTables } from '../../child/host/create-tables.ts';
import type { CheckedColumns, NamedMark } from '../../child/tables.ts';
import { columnsIn, mayBeEmpty } from '../../cli/start/columns-in.ts';
import { BadInput } from '../../errors/classes.ts';
import { portolan } from './support.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-columns-'));
  await write('notes.csv', 'id,text,done\n1,one,true\n2,two,false\n');
  await write('twice.csv', 'id,text\n1,one\n1,two\n,three\n');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const write = (name: string, text: string): Promise<void> => writeFile(join(cwd, name), text);
const map = '00000000-0000-4000-8000-000000000000';

/** Exit code of `validate`, and its findings by code and place. */
const validate = async (steps: string): Promise<{ code: number; found: string[]; said: any[] }> => {
  await write('p.yaml', `name: p\nsteps:\n${steps}`);
  const { code, out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
  const said = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { code, found: said.map((each) => `${each.code} ${each.path}`), said };
};

test('a column that an agent is to be told of, or that names the rows, is one of its table, and names each row once', async () => {
  const wrong = await validate(
    `  ask: { use: agent.run, with: { items: notes.csv, key: idd, prompt: "read {{ txt }} of {{id}}", files: [file], followUps: [{ prompt: "and {{don}}?" }] } }
  again: { use: agent.run, with: { items: twice.csv, key: id, prompt: "read {{text}}" } }
  docs: { use: agent.run, with: { documents: "*.csv", prompt: "read {{nam}}" } }
`,
  );
  expect([wrong.code, wrong.found]).toEqual([
    2,
    [
      'no-such-column steps.ask.with.key',
      'no-such-column steps.ask.with.prompt',
      'no-such-column steps.ask.with.files[0]',
      'no-such-column steps.ask.with.followUps[0].prompt',
      'repeated-id steps.again.with.key',
      'repeated-id steps.again.with.key',
      'no-such-column steps.docs.with.prompt',
    ],
  ]);
  expect(wrong.said[1]).toMatchObject({
    message: "the table has no column 'txt'; did you mean 'text'?; it has id, text, done",
    corrected: expect.stringContaining('"read {{ text }} of {{id}}"'),
  });
  expect(wrong.said[4]).toMatchObject({
    message: "1 row has no value in 'id', by which rows are named",
    remedy: 'take a column whose values differ, or leave key out: then a row is named by its place',
  });
  expect(wrong.said[5].message).toBe(`the values of 'id' repeat, and name the rows: "1" stands in 2 rows`);
});

test('the column of ids, and the key of a loop over rows, are looked at as well', async () => {
  const { code, found, said } = await validate(
    `  some: { use: points.list, with: { map: ${map}, source: notes.csv, column: idd } }
  none: { use: points.list, with: { map: ${map}, source: twice.csv, column: id } }
  each:
    forEach: { rows: twice.csv, key: text2 }
    steps: { call: { use: api.call, with: { operation: instance.projects.list, input: {} } } }
`,
  );
  expect([code, found]).toEqual([
    2,
    ['no-such-column steps.some.with.column', 'repeated-id steps.none.with.column', 'no-such-column steps.each.forEach.key'],
  ]);
  expect(said[1].message).toBe("1 row has no value in 'id', where the ids stand");
});

test('what can succeed is not refused: a table without rows, a step that no run carries out, a column of a type that no dataset has', async () => {
  const { code, found } = await validate(
    `  none: { use: agent.run, with: { items: { sql: "select * from notes where false", tables: { notes: notes.csv } }, prompt: "read {{nothing}}" } }
  off: { use: agent.run, when: false, with: { items: notes.csv, key: no, prompt: "read {{nothing}}" } }
  flags: { use: agent.run, with: { items: notes.csv, key: id, prompt: "is {{done}}?" } }
  open: { use: agent.run, with: { items: notes.csv, prompt: "\${{ steps.flags.results }} {{nothing}}" } }
`,
  );
  expect([found, code]).toEqual([[], 0]);
});

test('a step that a run can succeed without is not refused for its table: tolerated, or under a condition', async () => {
  await write('files.csv', 'file\nnotes.csv\nnotes.csv\n');
  const { code, found } = await validate(
    `  first: { use: api.call, with: { operation: instance.projects.list, input: {} } }
  ask: { use: agent.run, onError: tolerate, with: { items: notes.csv, key: nope, prompt: "x {{nope}}" } }
  some: { use: points.list, when: "\${{ steps.first.result.size() > 0 }}", with: { map: ${map}, source: notes.csv, column: nope } }
  each:
    forEach: { rows: notes.csv, key: nope }
    onError: tolerate
    steps: { call: { use: api.call, with: { operation: instance.projects.list, input: {} } } }
  parse: { use: documents.parse, onError: tolerate, with: { files: files.csv, column: file } }
`,
  );
  expect([found, code]).toEqual([[], 0]);
});

/** A query that does not end in the time of a test. */
async function slowQuery(): Promise<{ sql: string; tables: Record<string, string> }> {
  const names = Array.from({ length: 6 }, (_, at) => `t${at}`);
  for (const name of names) await write(`${name}.csv`, `v\n${Array.from({ length: 1_000 }, (_, row) => `${name}-${row}\n`).join('')}`);
  return {
    sql: `select t0.v as id from ${names.join(', ')} where hash(${names.map((name) => `${name}.v`).join(' || ')}) = 1`,
    tables: Object.fromEntries(names.map((name) => [name, `${name}.csv`])),
  };
}

test('a query that takes long is not run before the run where its columns are there', async () => {
  const { code, found } = await validate(
    `  slow: { use: agent.run, with: { items: ${JSON.stringify(await slowQuery())}, key: id, prompt: "read {{id}}" } }\n`,
  );
  expect([found, code]).toEqual([[], 0]);
});

test('a query that takes longer than a look may have no row: nobody knows', async () => {
  const { sql, tables: files } = await slowQuery();
  const tables = createTables({ seconds: 2 });
  try {
    const source = { sql, tables: Object.fromEntries(Object.keys(files).map((name) => [name, join(cwd, files[name]!)])) };
    expect(await mayBeEmpty(tables, source)).toBe(true);
  } finally {
    await tables.close();
  }
});

test('where a look at the values takes too long or too much, the columns are looked at alone; what else is wrong is said', async () => {
  const known: CheckedColumns = { source: ['id'], columns: [], findings: [] };
  const failing = (verdict: 'timeout' | 'too_large' | 'bad_input') => ({
    checkColumns: (_source: unknown, _columns: unknown, id?: string, since?: NamedMark) =>
      (id ?? since) === undefined ? Promise.resolve(known) : Promise.reject(new BadInput(verdict, verdict)),
  });
  const source = { path: 'notes.csv' };
  for (const verdict of ['timeout', 'too_large'] as const) {
    expect(await columnsIn(failing(verdict), source, {}, 'id')).toBe(known);
    expect(await columnsIn(failing(verdict), source, {}, undefined, { column: 'at' })).toBe(known);
  }
  await expect(columnsIn(failing('bad_input'), source, {}, 'id')).rejects.toThrow('bad_input');
});

test('a window may end before it begins where its loop stands under a condition that says so', async () => {
  const loop = (when: string): string =>
    `  each:
    forEach: { window: { from: 2026-02-02, to: 2026-02-01, every: 1d } }
    when: ${when}
    steps: { call: { use: api.call, with: { operation: instance.projects.list, input: {} } } }
`;
  const found = [];
  for (const when of ['true', 'false', '"${{ 1 > 2 }}"']) found.push((await validate(loop(when))).found);
  expect(found).toEqual([['invalid-value steps.each.forEach.window.to'], [], []]);
});

const read = (text: string): string => `read: { use: api.call, with: { operation: instance.projects.list, input: { search: "${text}" } } }`;

test('a column of the row that no step of a loop can do without is one of its table', async () => {
  const { code, found, said } = await validate(
    `  each:
    forEach: { rows: notes.csv, as: note }
    tolerate: { failed: 10% }
    steps:
      ${read('${{ note.txt }}')}
    outputs: { at: "\${{ string(note[\\"nr\\"]) }}", id: "\${{ note.id }}" }
  files:
    forEach: { files: "*.csv", as: file }
    steps:
      name: { use: api.call, when: "\${{ file.nam != ''}}", with: { operation: instance.projects.list, input: {} } }
`,
  );
  expect([code, found]).toEqual([
    2,
    [
      'no-such-column steps.each.steps.read.with.input.search',
      'no-such-column steps.each.outputs.at',
      'no-such-column steps.files.steps.name.when',
    ],
  ]);
  expect(said[0]).toMatchObject({
    message: "the table has no column 'txt', which note.txt reads; did you mean 'text'?; it has id, text, done",
    line: 7,
    corrected: expect.stringContaining('${{ note.text }}'),
  });
  expect(said[1]).toMatchObject({ remedy: 'take one of these, or read what may be missing by note.?nr.orValue(…)' });
});

test('a column of the row that may be missing is not asked for: in a branch, by has and orValue, in a step that may be skipped, in a loop whose rows may fail', async () => {
  const loop = (id: string, more: string, ...steps: string[]): string =>
    `  ${id}:\n    forEach: { rows: notes.csv, as: note }\n${more}    steps:\n${steps.map((step) => `      ${step}\n`).join('')}`;
  const texts = [
    "has(note.txt) ? note.txt : ''",
    "note.?txt.orValue('')",
    "note.id == 7 && note.txt == 'a' ? 'a' : 'b'",
    "[].map(x, note.txt).size() == 0 ? 'a' : 'b'",
    "'txt' in note ? note.txt : ''",
  ];
  const { found, code } = await validate(
    [
      loop('branches', '', ...texts.map((text, at) => read(`\${{ ${text} }}`).replace('read', `r${at}`))),
      loop('skipped', '', read('${{ note.txt }}').replace('read', 's0').replace('api.call,', 'api.call, when: "${{ has(note.txt) }}",')),
      loop('failing', '    tolerate: { failed: 100% }\n', read('${{ note.txt }}').replace('read', 'f0')),
      loop('tolerated', '', read('${{ note.txt }}').replace('read', 't0').replace('api.call,', 'api.call, onError: tolerate,')),
    ].join(''),
  );
  expect([found, code]).toEqual([[], 0]);
});

test('a query of which the time of the run alone is open is looked at as any other: its grammar, its tables and its columns', async () => {
  await write('came.csv', 'key,came,day\n1,2026-03-02 00:10:00,2\n');
  const timed = async (sql: string, { id = 'key', table = 'came.csv' } = {}): Promise<string[]> => {
    await write(
      'p.yaml',
      `name: p
connection: local
schedule: { cron: "5 * * * *", window: hour }
params: { least: { type: integer, default: 0 } }
steps:
  ds: { use: dataset.ensure, with: { slug: came } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.ds.id }}", source: { sql: "${sql}", tables: { t: ${table} } }, id: { column: ${id} } }
`,
    );
    const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
    return out.split('\n').flatMap((line) => {
      const { code, path } = (line === '' ? {} : JSON.parse(line)) as { code?: string; path?: string };
      return code === undefined ? [] : [`${code} ${path}`];
    });
  };
  const hour = "came >= '${{ run.window.from }}' and came < '${{ run.window.to }}' and day > ${{ params.least }}";
  expect(await timed(`select * from t where ${hour}`)).toEqual([]);
  expect(await timed(`selec * from t where ${hour}`)).toEqual(['bad-sql steps.rows.with.source.sql']);
  expect(await timed(`select kee from t where ${hour}`)).toEqual(['bad-source steps.rows.with.source.sql']);
  expect(await timed(`select key from t where ${hour}`, { id: 'kee' })).toEqual(['no-such-column steps.rows.with.id.column']);
  expect(await timed(`select key from t where ${hour}`, { table: 'comes.csv' })).toEqual(['no-such-file steps.rows.with.source.tables.t']);
  // What else is open is known in the run alone.
  expect(await timed(`selec * from t where ${hour} and key = '\${{ steps.ds.slug }}'`)).toEqual([]);
});

test('ids of a table with several columns, none of which is called as those of the dataset are, need a column', async () => {
  await write('several.csv', 'key,text\n1,one\n');
  const listed = async (of: string, more = '', map = '${{ steps.map.id }}'): Promise<string[]> => {
    const { found } = await validate(`  set: { use: dataset.ensure, with: { slug: several${of} } }
  map: { use: index.build, with: { dataset: "\${{ steps.set.id }}" } }
  some: { use: points.list, with: { map: "${map}", source: several.csv${more} } }
`);
    return found.filter((each) => each.startsWith('no-such-column'));
  };
  expect(await listed('')).toEqual(['no-such-column steps.some.with.source']);
  expect(await listed(', idField: key')).toEqual([]);
  expect(await listed('', ', column: key')).toEqual([]);
  // What the ids of another map are called nobody knows before the run.
  expect(await listed('', '', map)).toEqual([]);
});
