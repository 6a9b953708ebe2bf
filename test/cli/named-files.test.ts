import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { portolan } from './support.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'portolan-named-'));
  await mkdir(join(cwd, 'inbox'));
  for (const name of ['a.txt', 'b.txt']) await writeFile(join(cwd, 'inbox', name), 'a text of some words');
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const write = (name: string, text: string): Promise<void> => writeFile(join(cwd, name), text);
const reading = (more = ''): Promise<void> =>
  write('p.yaml', `name: p\nsteps:\n  read: { use: documents.parse, with: { files: inbox/list.csv, column: file${more} } }\n`);
const plan = async (...more: string[]) => {
  const { code, out, err } = await portolan(['plan', 'p.yaml', '-c', 'local', '--offline', ...more], { cwd });
  expect([code, err]).toEqual([0, '']);
  return out;
};
const stepsOf = async (): Promise<any[]> => JSON.parse(await plan('--json')).steps;

test('plan says which files a table names that are not there, by their rows, with the rule and the remedy', async () => {
  const rows = ['a.txt', 'gone.txt', '', '../p.yaml', 'b.txt', ...Array.from({ length: 4 }, (_, at) => `late-${at}.txt`)];
  await write('inbox/list.csv', `file\n${rows.map((name) => `"${name}"`).join('\n')}\n`);
  await reading();
  const out = await plan();
  expect(out).toContain('read ≤ 9 documents');
  const lines = out
    .slice(out.indexOf('not there (read)'))
    .replaceAll(/\n\s+/g, ' ')
    .replaceAll(/ (?=row \d)/g, '\n');
  expect(lines).toMatch(/^not there \(read\): 7 of the 9 files that its table names:$/m);
  expect(lines).toMatch(/^row 2: gone\.txt: there is no such file$/m);
  expect(lines).toMatch(/^row 3: the row names no file$/m);
  expect(lines).toMatch(/^row 4: \.\.\/p\.yaml: is not in the folder of the table \(.*inbox\): put it there, or the table above it$/m);
  expect(lines).toMatch(
    /^row 7: late-1\.txt: there is no such file and 2 more each fails its item: put the files there, or take their rows out;/m,
  );
  expect(lines).toContain('tolerate: { failed: 7 } goes on without them');
  const [step] = await stepsOf();
  expect([step.absent[0].files, step.absent[0].missing, step.absent[0].first.map(({ row }: { row: number }) => row)]).toEqual([
    9,
    7,
    [2, 3, 4, 6, 7],
  ]);
  const parse = step.calls.find(({ operation }: { operation: string }) => operation === 'maps.documents.parse');
  expect([parse.min, parse.max]).toEqual([0, 9]);

  await write('inbox/list.csv', 'file\na.txt\nb.txt\n');
  expect((await stepsOf())[0].absent).toBeUndefined();
  expect(await plan()).not.toContain('not there');
});

test('a table that the step will refuse is a mistake before the run, for validate, plan and run alike: no such column, a file that two rows name, several tables', async () => {
  const refused = async (): Promise<string> => {
    const [planned, validated] = await Promise.all([
      portolan(['plan', 'p.yaml', '-c', 'local', '--offline'], { cwd }),
      portolan(['validate', 'p.yaml'], { cwd }),
    ]);
    expect([planned.code, validated.code, planned.out]).toEqual([2, 2, '']);
    const lines = planned.err.replaceAll(/\s+/g, ' ');
    expect(validated.out.replaceAll(/\s+/g, ' ')).toContain(/p\.yaml:3:.*finding/.exec(lines)![0]);
    return lines;
  };
  await write('inbox/list.csv', 'file,by\na.txt,Ada\n./a.txt,Ben\n');
  await reading();
  expect(await refused()).toContain("two rows name the file 'a.txt'; keep one of them");
  await write('inbox/list.csv', 'files,by\na.txt,Ada\n');
  expect(await refused()).toMatch(
    /no-such-column the table has no column 'file'; did you mean 'files'\?; it has files, by .*column: files/,
  );
  await write('inbox/list.csv', 'file,by\na.txt,Ada\n');
  await reading(', carry: [author]');
  expect(await refused()).toContain("the table has no column 'author'; it has file, by");
  await write('p.yaml', 'name: p\nsteps:\n  read: { use: documents.parse, with: { files: inbox/*, column: file } }\n');
  expect(await refused()).toContain('matches 3 files, and column is for one table');
});

test('of a table that is too large, or not here, nobody looks at every file, and plan says so', async () => {
  await reading();
  await write('inbox/list.csv', `file\n${Array.from({ length: 20_001 }, (_, at) => `f${at}`).join('\n')}\n`);
  const [step] = await stepsOf();
  expect([step.absent, step.does]).toEqual([undefined, 'read documents']);
  expect((await plan()).replaceAll(/\s+/g, ' ')).toContain(
    'because its table has 20,001 rows: which files it names is looked at in the run',
  );
  await write('items.csv', `file\n${'inbox/a.txt\n'.repeat(20_001)}`);
  await write('p.yaml', 'name: p\nsteps:\n  ask: { use: agent.run, with: { items: items.csv, prompt: read it, files: [file] } }\n');
  expect((await plan()).replaceAll(/\s+/g, ' ')).toContain('instance.files.upload, because its table has 20,001 rows');
  await reading();
  // One column of few rows, and of many bytes.
  await write('inbox/list.csv', `file,text\n${`a.txt,${'x'.repeat(1024 * 1024)}\n`.repeat(17)}`);
  expect((await plan()).replaceAll(/\s+/g, ' ')).toContain('because its table has 18 MB: which files it names is looked at in the run');
  await write('p.yaml', 'name: p\nsteps:\n  read: { use: documents.parse, with: { files: /srv/elsewhere/list.csv, column: file } }\n');
  expect((await stepsOf())[0]).toMatchObject({ does: 'read documents' });
});

test('files that rows of agents name are looked at too, from the folder of the pipeline, and those of a pipeline that is a step', async () => {
  await write('items.csv', 'id,file,more\n1,inbox/a.txt,\n2,inbox/gone.txt,inbox\n3,,inbox/b.txt\n');
  await write(
    'agents.yaml',
    'name: agents\nsteps:\n  ask: { use: agent.run, with: { items: items.csv, key: id, prompt: read it, files: [file, more] } }\n',
  );
  await write('p.yaml', 'name: p\nsteps:\n  all: { use: ./agents.yaml }\n');
  expect((await stepsOf())[0].absent).toEqual([
    {
      step: 'all.ask',
      files: 4,
      missing: 2,
      first: [
        { row: 2, file: 'inbox/gone.txt', because: `there is no such file in ${cwd}, the folder of the pipeline` },
        { row: 2, file: 'inbox', because: `there is no such file in ${cwd}, the folder of the pipeline` },
      ],
    },
  ]);
  expect(await plan()).toContain('not there (all.ask): 2 of the 4 files that its table names:');
});

test('a folder is no table and no list of files: the remedy has the pattern of what is in it', async () => {
  const remedy = async (step: string): Promise<string> => {
    await write('p.yaml', `name: p\nsteps:\n  step: ${step}\n`);
    const { code, out } = await portolan(['validate', 'p.yaml'], { cwd });
    expect(code).toBe(2);
    return out;
  };
  expect(await remedy('{ use: documents.parse, with: { files: inbox } }')).toContain('files: inbox/**/*');
  expect(await remedy('{ use: agent.run, with: { items: inbox/, prompt: read } }')).toContain('items: inbox/*.csv');
  for (const name of ['a.parquet', 'b.parquet', 'c.csv']) await write(`inbox/${name}`, 'x');
  expect(await remedy('{ use: agent.run, with: { items: inbox, prompt: read } }')).toContain('items: inbox/*.parquet');
});
