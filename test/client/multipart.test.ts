import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCalls } from '../../client/invoke.ts';
import { encodeMultipart } from '../../client/multipart.ts';
import { createPermits } from '../../client/permits.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'portolan-form-'))));
afterAll(() => rm(dir, { recursive: true }));

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, bytes);
  return path;
}

test('a large file is read piece by piece, and as many bytes come as were announced', async () => {
  const size = 24 * 1024 * 1024;
  const form = await encodeMultipart({ file: await openAsBlob(await file('large', new Uint8Array(size).fill(7))) });
  let bytes = 0;
  let largest = 0;
  for await (const { byteLength } of form.body) {
    bytes += byteLength;
    largest = Math.max(largest, byteLength);
  }
  expect(bytes).toBe(form.bytes);
  expect(bytes).toBeGreaterThan(size);
  expect(largest).toBeLessThan(1024 * 1024);
});

test('a form whose file changes after it was opened is never sent to its end', async () => {
  let whole = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      whole += 1;
      response.end('{"hashes":[]}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = await file('changing', new Uint8Array(1_000));
  const changing = await openAsBlob(path);
  const input = { dataset_id: '0f8fad5b-d9cb-469f-a165-70867728950e' };
  const { invoke } = createCalls(() => ({ baseUrl, token: 'k', permits: createPermits() }));
  await invoke('maps.blobs.add', { ...input, blobs: [changing] });
  await appendFile(path, 'more');
  await expect(invoke('maps.blobs.add', { ...input, blobs: [changing] })).rejects.toMatchObject({
    name: 'RefusedRequest',
    // Who opens it again is refused where it changed; nobody else knows that this host only has too many files open.
    retryable: true,
  });
  expect(whole).toBe(1);
  server.closeAllConnections();
  server.close();
});

test('so is one whose bytes are others when they are sent than when they were looked at', async () => {
  /** A file that somebody writes between the two readings. */
  class Written extends Blob {
    #readings = 0;
    override stream(): ReturnType<Blob['stream']> {
      return new Blob([(this.#readings += 1) === 1 ? 'first' : 'other']).stream();
    }
  }
  const { body } = await encodeMultipart({ file: new Written(['first']) });
  const sent: Uint8Array[] = [];
  const sending = async (): Promise<void> => {
    for await (const chunk of body) sent.push(chunk);
  };
  await expect(sending()).rejects.toThrow(/changed while it was sent/);
  expect(Buffer.concat(sent).toString()).not.toMatch(/--\r\n$/);
});

test('a name of a file or of a field adds no line to the head of its part', async () => {
  const { body } = await encodeMultipart({ 'a\r\nx: "1"': new File(['text'], 'b\rc\nd"e.txt') });
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  expect(text.split('\r\n\r\n')[0]!.split(/\r|\n/)).toEqual([
    expect.stringMatching(/^--portolan-/),
    '',
    'content-disposition: form-data; name="a%0D%0Ax: %221%22"; filename="b%0Dc%0Ad%22e.txt"',
  ]);
});
