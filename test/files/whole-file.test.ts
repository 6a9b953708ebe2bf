import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeOnce, writeWhole } from '../../files/whole-file.ts';

const module = JSON.stringify(new URL('../../files/whole-file.ts', import.meta.url).href);

test('a file is there whole or as it was, also where the writing of the new one fails', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-whole-'));
  try {
    const path = join(dir, 'below', 'file');
    await writeWhole(path, 'old');
    await expect(writeWhole(path, 5 as never)).rejects.toThrow('must be');
    expect(await readFile(path, 'utf8')).toBe('old');
    await writeWhole(path, [Buffer.from('in '), Buffer.from('parts')]);
    expect(await readFile(path, 'utf8')).toBe('in parts');
    expect((await readdir(join(dir, 'below'))).filter((name) => !name.endsWith('.tmp'))).toEqual(['file']);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test('of several that write a file once the first one does, and the others know that they did not', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-once-'));
  try {
    const path = join(dir, 'decision');
    const texts = ['one', 'two', 'three'];
    const first = await Promise.all(texts.map((text) => writeOnce(path, text)));
    expect(first.filter(Boolean)).toHaveLength(1);
    expect(await readFile(path, 'utf8')).toBe(texts[first.indexOf(true)]);
    expect(await writeOnce(path, 'late')).toBe(false);
    expect(await readdir(dir)).toEqual(['decision']);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test('a writing that the disk stops early fails, and leaves what was there', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-full-'));
  try {
    const path = join(dir, 'file');
    await writeWhole(path, 'old');
    // The largest file that the process may write is reached in the middle of the parts.
    const code = `import { writeWhole } from ${module};
      await writeWhole(${JSON.stringify(path)}, Array.from({ length: 4 }, () => Buffer.alloc(10_000, 1)));`;
    const limited = promisify(execFile)('bash', ['-c', 'ulimit -f 16; exec "$0" --input-type=module -e "$1"', process.execPath, code]);
    await expect(limited).rejects.toMatchObject({ stderr: expect.stringContaining('EFBIG') });
    expect(await readFile(path, 'utf8')).toBe('old');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
