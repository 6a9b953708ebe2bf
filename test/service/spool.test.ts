import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSpool, spooledFile } from '../../service/http/spool.ts';

const dir = mkdtempSync(join(tmpdir(), 'portolan-spool-'));
afterAll(() => rmSync(dir, { recursive: true }));
const spool = createSpool(dir);

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="räum.txt"\r\ncontent-type: text/plain\r\n\r\n';
const take = (...texts: string[]) => spool.take(chunks(...texts), 'multipart/form-data; boundary=x', null, { field: 'file', bytes: 10 });
const left = (): string[] => readdirSync(join(dir, 'incoming'));

test('the file of a form is on the disk with its name, type and hash until it is discarded, fields stand before and behind it', async () => {
  const field = (name: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nof ${name}\r\n`;
  const { fields, discard } = await take(field('before'), head, 'ten', ' bytes.', '\r\n', field('behind'), '--x--\r\n');
  const file = fields['file'] as File;
  expect([fields['before'], fields['behind'], file.name, file.type, file.size]).toEqual([
    'of before',
    'of behind',
    'räum.txt',
    'text/plain',
    10,
  ]);
  const { path, bytes, sha256 } = spooledFile(file);
  expect([readFileSync(path, 'utf8'), bytes, sha256.length]).toEqual(['ten bytes.', 10, 64]);
  await discard();
  expect(left()).toEqual([]);
});

test('a file above the largest is refused while it comes, and leaves nothing', async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head);
    for (; read < 1_000; read++) yield new Uint8Array(65_536);
  }
  const taking = spool.take(endless(), 'multipart/form-data; boundary=x', null, { field: 'file', bytes: 10 });
  await expect(taking).rejects.toMatchObject({ status: 413 });
  expect(read).toBeLessThan(1_000);
  expect(left()).toEqual([]);
});

test('a form that breaks off is refused, and leaves nothing', async () => {
  await expect(take(head, 'five')).rejects.toMatchObject({ status: 422 });
  expect(left()).toEqual([]);
});
