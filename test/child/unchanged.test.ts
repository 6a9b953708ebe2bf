import { createHash } from 'node:crypto';
import { appendFile, readFile, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refuseChanged } from '../../activities/sources/check-unchanged.ts';
import { readSource } from '../../child/inside/source.ts';
import { BadInput } from '../../errors/classes.ts';
import { createBench, refusal } from './support.ts';

const lines = (count: number): string => `n,t\n${Array.from({ length: count }, (_, at) => `${at},text ${at}`).join('\n')}\n`;

/** When the file was written: a copy may say the same. */
const then = new Date('2026-01-02T03:04:05Z');

const changes: Record<string, (path: string) => Promise<void>> = {
  truncated: (path) => truncate(path, 1_000),
  grown: (path) => appendFile(path, '999,more\n'),
  'written again with as many bytes': async (path) => writeFile(path, (await readFile(path, 'utf8')).replaceAll('text', 'TEXT')),
  'replaced by another file': async (path) => {
    await writeFile(`${path}.new`, await readFile(path));
    await utimes(`${path}.new`, then, then);
    await rename(`${path}.new`, path);
  },
  'taken away': (path) => rename(path, `${path}.gone`),
};

const settings = (tempDir: string) => ({
  tempDir,
  memoryMb: 300,
  residentBytes: 2 ** 30,
  tempGiB: 8,
  progress: () => undefined,
  unpacked: () => undefined,
  earned: () => undefined,
});

test.each(Object.entries(changes))('a file that is %s while it is read is refused, whatever was read of it', async (_, change) => {
  await using bench = await createBench();
  const source = await bench.file('rows.csv', lines(1_000));
  await utimes(source, then, then);
  const verdict = {
    verdict: 'bad_input',
    message: expect.stringMatching(/rows\.csv changes while it is read; run again when it is whole/),
  };
  const read = readSource(source, settings(bench.folder), async ({ engine, relation }) => {
    const [counted] = await engine.rows(`select count(*)::double as n from ${relation}`);
    await change(source);
    return counted;
  });
  expect(await refusal(read)).toEqual(verdict);
});

test('a source that reads as other rows of the same bytes is refused', () => {
  const context = { sources: { 'a.csv': { sha256: 'f00', bytes: 10, rows: 3 } } };
  expect(() => refuseChanged(context, 'a.csv', { sha256: 'f00', bytes: 10, rows: 2 })).toThrow(
    /had 3 rows when the run started, and 2 were read/,
  );
  expect(() => refuseChanged(context, 'a.csv', { sha256: 'f00', bytes: 10, rows: 3 })).not.toThrow();
});

test('what goes wrong with a file that changes is not called its fault', async () => {
  await using bench = await createBench();
  const source = await bench.file('rows.csv', lines(1_000));
  const read = readSource(source, settings(bench.folder), async () => {
    await truncate(source, 1_000);
    throw new BadInput('bad_input', 'line 120 has one column');
  });
  expect(await refusal(read)).toMatchObject({ message: expect.stringMatching(/changes while it is read/) });
});

test('one of many files that changes is named', async () => {
  await using bench = await createBench();
  for (const name of ['a1.csv', 'a2.csv', 'a3.csv']) await bench.file(name, lines(10));
  const read = readSource(join(bench.folder, 'a*.csv'), settings(bench.folder), () => appendFile(join(bench.folder, 'a2.csv'), '7,x\n'));
  expect(await refusal(read)).toMatchObject({ message: expect.stringMatching(/a2\.csv changes while it is read/) });
});

test('shards carry the fingerprint of the bytes that they were made of', async () => {
  await using bench = await createBench();
  const source = await bench.file('rows.csv', lines(1_000));
  const facts = await bench.tables.inspect(source);
  const shards = await bench.shard({ source });
  expect(shards.source).toEqual({ bytes: facts.bytes, sha256: facts.sha256 });
  expect(facts.sha256).toBe(
    createHash('sha256')
      .update(await readFile(source))
      .digest('hex'),
  );
});

test('a file that is made into one Arrow file carries the fingerprint of what was read of it', async () => {
  await using bench = await createBench();
  const source = await bench.file('rows.csv', lines(10));
  const { sha256, bytes } = await bench.tables.inspect(source);
  const made = await bench.tables.arrowFile({
    source,
    into: join(bench.folder, 'made'),
    projectId: 'project-1',
    idField: 'n',
    id: { column: 'n' },
    maxRows: 100,
    maxBytes: 1_000_000,
    empty: true,
  });
  expect(made.converted).toEqual({ because: 'it is no Arrow file', source: { sha256, bytes } });
});
