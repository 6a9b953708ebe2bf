import { existsSync, statSync, watch } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepFor } from '../../landing/file-set.ts';

// Between two file systems there are no links, as on one that has none.
const other = '/dev/shm';
const hasTwo = existsSync(other) && statSync(other).dev !== statSync(tmpdir()).dev;

test.skipIf(!hasTwo)('what is copied comes whole into the folder of a source: a kill leaves no half of it there', async () => {
  const from = await mkdtemp(join(other, 'portolan-copied-'));
  const run = await mkdtemp(join(tmpdir(), 'portolan-copied-'));
  try {
    await writeFile(join(from, 'x.csv'), 'id\n1\n');
    const folder = join(run, 'sources', 'abc');
    await mkdir(folder, { recursive: true });
    const seen = new Set<string>();
    const { promise: isThere, resolve } = Promise.withResolvers<void>();
    const watcher = watch(folder, (_, name) => {
      seen.add(name!);
      if (name === 'x.csv') resolve();
    });
    await keepFor(run, { path: join(from, '**/*'), names: ['x.csv'], bytes: 5, sha256: 'abc', again: false });
    await isThere;
    watcher.close();
    expect([...seen]).toEqual(['x.csv']);
    expect(await readFile(join(folder, 'x.csv'), 'utf8')).toBe('id\n1\n');
  } finally {
    await rm(from, { recursive: true });
    await rm(run, { recursive: true });
  }
});
