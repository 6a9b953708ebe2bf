import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectTables } from '../../cli/start/expect-tables.ts';
import { lendTables } from '../../cli/start/lent-tables.ts';
import { portolan } from './support.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-expect-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Whether a child process is started for a file of this text. */
const expects = async (text: string, name = 'p.yaml'): Promise<boolean> => {
  const path = join(dir, name);
  await writeFile(path, text);
  await using lent = lendTables();
  let asked = false;
  await expectTables(path, {
    ...lent,
    get: () => {
      asked = true;
      return lent.get();
    },
  });
  return asked;
};

test('a file that speaks of a source has its child process before it is read', async () => {
  expect(await expects('steps: { rows: { use: dataset.append, with: { source: a.csv } } }')).toBe(true);
  expect(await expects('{"steps":{"rows":{"use":"dataset.append","with":{"source": "a.csv"}}}}', 'p.json')).toBe(true);
  expect(await expects("export default definePipeline({ steps: { rows: { with: { source : 'a.csv' } } } })", 'p.mts')).toBe(true);
});

test('one that does not has none', async () => {
  expect(await expects('steps: { ask: { use: agent.run, with: { agent: scout } } }')).toBe(false);
  expect(await expects('')).toBe(false);
});

test('what is wrong with a file is for its reader to say', async () => {
  await using tables = lendTables();
  await expectTables(join(dir, 'none.yaml'), tables);
  await expectTables(dir, tables);
  expect(await expects(`source: ${'x'.repeat(1_000_001)}`)).toBe(false);
});

test('after the end of a command no child is started', async () => {
  const tables = lendTables();
  await tables[Symbol.asyncDispose]();
  await expect(tables.get()).rejects.toThrow('closed');
});

test('a child that is loading its code takes a request, and a second one goes to another', async () => {
  await writeFile(join(dir, 'a.csv'), 'k,title\na,Heat\n');
  await using lent = lendTables();
  const tables = await lent.get();
  const columns = { k: 'k' };
  const [first, second] = await Promise.all([
    tables.checkColumns(join(dir, 'a.csv'), columns),
    tables.checkColumns(join(dir, 'a.csv'), columns),
  ]);
  expect(first.source).toEqual(['k', 'title']);
  expect(second).toEqual(first);
});

const pipelineOf = (rows: string): string => `name: p
connection: local
steps:
  dataset: { use: dataset.ensure, with: { slug: p } }
${rows}`;
const fromTable = pipelineOf(
  '  rows: { use: dataset.append, with: { dataset: "${{ steps.dataset.id }}", source: rows.csv, id: { column: id } } }\n',
);

test.each(['validate', 'plan'])('%s that is interrupted while it looks at a table says nothing of the file', async (verb) => {
  await writeFile(join(dir, 'rows.csv'), 'id,n\na,1\n');
  await writeFile(join(dir, 'p.yaml'), fromTable);
  const over = await portolan([verb, 'p.yaml', ...(verb === 'plan' ? ['--offline'] : [])], { cwd: dir, signal: AbortSignal.abort() });
  expect([over.code, over.out]).toEqual([130, '']);
});

test('validate that is interrupted calls no further file valid, though it needs no table', async () => {
  await writeFile(join(dir, 'p.yaml'), pipelineOf(''));
  expect(await portolan(['validate', 'p.yaml'], { cwd: dir })).toMatchObject({ code: 0, out: 'p.yaml is valid\n' });
  const over = await portolan(['validate', 'p.yaml'], { cwd: dir, signal: AbortSignal.abort() });
  expect([over.code, over.out]).toEqual([130, '']);
});
