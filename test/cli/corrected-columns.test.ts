import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../pipelines/file/findings.ts';
import { portolan } from './support.ts';
import { rowsHead } from './support-rows.ts';

const head = rowsHead('columns');

/** A column as it is written, and as it is meant. */
const columns: [written: string, meant: string][] = [
  ['open: open', `open: '"open"::varchar'`],
  ['marks: marks', 'marks: to_json("marks")::varchar'],
  ['most: price > 2', 'most: (price > 2)::varchar'],
  ['amount: pric', 'amount: price'],
  ['_embedding: near', '_embeddings: near'],
];

test('columns of a type or name that no dataset has come with the line that is valid', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-columns-'));
  try {
    await writeFile(join(cwd, 'rows.json'), JSON.stringify([{ open: true, marks: ['a'], price: 1.5, near: [0.1, 0.2] }]));
    await writeFile(join(cwd, 'p.yaml'), `${head}${columns.map(([written]) => `        ${written}\n`).join('')}`);
    const validate = async (): Promise<Finding[]> =>
      (await portolan(['validate', 'p.yaml', '--json'], { cwd })).out
        .split('\n')
        .flatMap((line) => (line.includes('"code"') ? [JSON.parse(line) as Finding] : []));
    const found = await validate();
    expect(found.map(({ line, corrected }) => [line, corrected])).toEqual(
      columns.map(([, meant], at) => [head.split('\n').length + at, `        ${meant}`]),
    );
    const lines = (await readFile(join(cwd, 'p.yaml'), 'utf8')).split('\n');
    for (const { line, corrected } of found) lines[line - 1] = corrected!;
    await writeFile(join(cwd, 'p.yaml'), lines.join('\n'));
    expect(await validate()).toEqual([]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});

test('a column by which rows are new is one of the source, or one that is made of it', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-since-'));
  try {
    await writeFile(join(cwd, 'rows.json'), JSON.stringify([{ k: 'a', updated_at: '2026-03-02T00:10:00Z', share: 0.5 }]));
    const validate = async (since: string, overlap = '') => {
      const step = `{ use: dataset.append, with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: rows.json, id: { column: k }, columns: { at: updated_at }, since: { column: ${since}${overlap} } } }`;
      await writeFile(join(cwd, 'p.yaml'), `name: since\nconnection: local\nsteps:\n  rows: ${step}\n`);
      const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
      return out.split('\n').flatMap((line) => (line.includes('"code"') ? [JSON.parse(line) as Finding] : []));
    };
    expect(await validate('updatd_at')).toMatchObject([
      {
        code: 'no-such-column',
        message: "the source has no column 'updatd_at'; it has k, updated_at, share",
        path: 'steps.rows.with.since.column',
        corrected: expect.stringContaining('since: { column: updated_at }'),
      },
    ]);
    expect(await validate('updated_at')).toEqual([]);
    expect(await validate('at')).toEqual([]);
    expect(await validate('k')).toMatchObject([
      {
        code: 'wrong-column',
        message:
          'k is "a", which is no time of the years 1 to 9999; make one of it under columns:, by another name, or take another column',
        path: 'steps.rows.with.since.column',
        remedy: 'take a column that grows with each change: a time, a date or a whole number',
      },
    ]);
    expect(await validate('updated_at', ', overlap: 1h')).toEqual([]);
    expect(await validate('updated_at', ', overlap: 1000')).toMatchObject([
      {
        code: 'wrong-column',
        message: "column 'updated_at' holds times, so its overlap is a duration such as 1h",
        path: 'steps.rows.with.since.overlap',
        remedy: 'say the overlap as its column counts, or leave it out',
      },
    ]);
    expect(await validate('share')).toMatchObject([
      { code: 'wrong-column', message: "column 'share' is DOUBLE; a mark is a whole number, a date or a time" },
    ]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});

test('a column of dates that stay texts comes with what has them read as dates', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-dates-'));
  try {
    await writeFile(join(cwd, 'rows.csv'), 'k,day\na,01.02.2026\nb,03.02.2026\n');
    const validate = async (source: string, since: string) => {
      const columns = `{ day: day, at: "strptime(day::varchar, '%d.%m.%Y')", other: "day::varchar" }`;
      const step = `{ use: dataset.append, with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: ${source}, id: { column: k }, columns: ${columns}, since: { column: ${since} } } }`;
      await writeFile(join(cwd, 'p.yaml'), `name: since\nconnection: local\nsteps:\n  rows: ${step}\n`);
      const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
      return out.split('\n').flatMap((line) => (line.includes('"code"') ? [(JSON.parse(line) as Finding).message] : []));
    };
    const is = (column: string): string => `${column} is "01.02.2026", which is no time of the years 1 to 9999`;
    const ways = "{ dateFormat: '%d.%m.%Y' } or { dateFormat: '%m.%d.%Y' }";
    expect(await validate('rows.csv', 'day')).toEqual([
      `${is('day')}: dates of which nothing says whether day or month comes first: they stay text; say csv: ${ways}`,
    ]);
    expect(await validate("{ path: rows.csv, csv: { dateFormat: '%d.%m.%Y' } }", 'day')).toEqual([]);
    expect(await validate('rows.csv', 'at')).toEqual([]);
    expect(await validate('rows.csv', 'other')).toEqual([`${is('other')}; make it one under columns:, or take another column`]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});

test('a column of marks that cannot be made is found beside what else is wrong', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-made-'));
  try {
    await writeFile(join(cwd, 'rows.csv'), 'k,t\na,nonsense\n');
    const step = `{ use: dataset.append, with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: rows.csv, id: { column: key }, columns: { at: "cast(t as timestamp)" }, since: { column: at } } }`;
    await writeFile(join(cwd, 'p.yaml'), `name: since\nconnection: local\nsteps:\n  rows: ${step}\n`);
    const { code, out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
    const found = out.split('\n').flatMap((line) => (line.includes('"code"') ? [JSON.parse(line) as Finding] : []));
    expect([code, found]).toMatchObject([
      2,
      [
        { code: 'no-such-column', path: 'steps.rows.with.id.column' },
        {
          code: 'wrong-column',
          path: 'steps.rows.with.since.column',
          message: expect.stringMatching(/^at cannot be made: rows.csv: .*nonsense/),
        },
      ],
    ]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});

test('a file in another encoding is refused at the first letter that would be lost', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-encoding-'));
  try {
    await writeFile(
      join(cwd, 'p.yaml'),
      Buffer.from('name: kitchens\ndescription: K\u00fcche\nsteps:\n  one: { use: dataset.ensure, with: { slug: a } }\n', 'latin1'),
    );
    const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
    expect(JSON.parse(out.trim())).toMatchObject({ code: 'syntax', line: 2, column: 15, remedy: 'save the file as UTF-8' });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
