import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWhole } from '../../files/whole-file.ts';

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
