import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeJournal } from '../../service/engine/datasets/dataset.ts';
import { createDatasets } from '../../service/engine/datasets/store.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'portolan-file-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const entry = { requestId: 'r', operation: 'maps.data.addArrow', subject: 'data', content: 1 };

/** Opens the dataset, reads its journal, and writes one row more. */
async function write(): Promise<number> {
  const datasets = createDatasets(folder);
  try {
    return await datasets.use('one', async (dataset) => {
      const { length } = await dataset.journal();
      await dataset.write((connection) => writeJournal(connection, entry, 1));
      return length;
    });
  } finally {
    await datasets.close();
  }
}

test.each([0, 1, 4_096, 8_192, 12_287])('a file whose creation was cut at %i bytes is created anew', async (bytes) => {
  expect(await write()).toBe(0);
  const file = join(folder, 'one.duckdb');
  writeFileSync(file, readFileSync(file).subarray(0, bytes));
  writeFileSync(`${file}.new`, 'cut as well');
  expect(await write()).toBe(0);
  expect(await write()).toBe(1);
  expect(readdirSync(folder)).toEqual(['one.duckdb']);
});

test('control: a file that is damaged is not taken for a new one', async () => {
  await write();
  const file = join(folder, 'one.duckdb');
  const damaged = Buffer.alloc(readFileSync(file).length, 1);
  writeFileSync(file, damaged);
  await expect(write()).rejects.toThrow(/not a valid DuckDB database/);
  expect(readFileSync(file)).toEqual(damaged);
});
