import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileFacts } from '../../files/file-facts.ts';

test('the bytes of a file are read until they are wanted no more', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-facts-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const path = join(dir, 'file');
  const bytes = Buffer.alloc(300_000, 'ab');
  await writeFile(path, bytes);
  const signal = new AbortController();
  expect(await fileFacts(path, signal)).toEqual({ bytes: 300_000, sha256: createHash('sha256').update(bytes).digest('hex') });
  const over = new Error('the attempt is over');
  signal.abort(over);
  await expect(fileFacts(path, signal)).rejects.toBe(over);
});
