import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { portolan } from './support.ts';

let cwd: string;
beforeEach(async () => void (cwd = await mkdtemp(join(tmpdir(), 'portolan-empty-'))));
afterEach(() => rm(cwd, { recursive: true, force: true }));

test.each([
  ['nothing', ''],
  ['a byte order mark alone', '\uFEFF'],
])('a file that holds %s is empty', async (_, text) => {
  await writeFile(join(cwd, 'rows.csv'), text);
  const { code, err } = await portolan(['preview', 'rows.csv'], { cwd });
  expect([code, err]).toEqual([1, expect.stringContaining('rows.csv: the file is empty')]);
});
