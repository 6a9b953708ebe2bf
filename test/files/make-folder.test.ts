import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder, makeFolderIn } from '../../files/make-folder.ts';
import { createDisk, whyNoDisks } from '../prove/support-disk.ts';

let root: string;
beforeEach(async () => void (root = await mkdtemp(join(tmpdir(), 'portolan-folder-'))));
afterEach(() => rm(root, { recursive: true, force: true }));

const isFolder = async (path: string): Promise<boolean> => (await stat(path)).isDirectory();

test('a folder is made with those above it, by several at once, and one that is there stays', async () => {
  const path = join(root, 'a', 'b', 'c');
  await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(root, 'a', 'd'))]);
  await makeFolder(path);
  expect(await isFolder(path)).toBe(true);
  expect(await isFolder(join(root, 'a', 'd'))).toBe(true);
});

test('a file in the way is reported', async () => {
  await writeFile(join(root, 'a'), '');
  await expect(makeFolder(join(root, 'a'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(root, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('within a folder others are made, that one is not', async () => {
  const outer = join(root, 'outer');
  expect(() => makeFolderIn(outer, join(outer, 'a', 'b'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  await mkdir(outer);
  makeFolderIn(outer, join(outer, 'a', 'b'));
  makeFolderIn(outer, join(outer, 'a', 'b'));
  expect(await isFolder(join(outer, 'a', 'b'))).toBe(true);
});

const noDisks = await whyNoDisks();

test.skipIf(noDisks !== undefined)('of a disk that can only be read the system says so', async () => {
  await using disk = await createDisk(join(root, 'disk'), '1m');
  await disk.readOnly();
  await expect(makeFolder(join(root, 'disk', 'a', 'b'))).rejects.toMatchObject({ code: 'EROFS' });
  await disk.show();
});
