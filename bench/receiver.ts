import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { scriptInput } from './support-process.ts';

// The baseline of part intake: a bare node:http server that streams each PUT to a file; hashing, the ETag is its MD5. So that
// an upload can be pointed at it, it answers what one asks besides, and keeps nothing of that. No service, nor meant to be one.

const { folder, hash: hashing, rows } = scriptInput<{ folder: string; hash: boolean; rows: number }>();
const full = new Set<string>();
let files = 0;

async function receive(request: IncomingMessage): Promise<string> {
  files += 1;
  const hash = createHash('md5');
  if (hashing) request.on('data', (chunk: Uint8Array) => void hash.update(chunk));
  await pipeline(request, createWriteStream(join(folder, `received-${files}`)));
  return hashing ? hash.digest('hex') : `not-hashed-${files}`;
}

async function reply(request: IncomingMessage, url: string): Promise<unknown> {
  const id = request.url!.split('/')[3]!;
  const body = await text(request);
  if (request.url!.endsWith('/upload/start')) {
    const { file_size, part_size } = JSON.parse(body) as { file_size: number; part_size: number };
    const parts = Array.from({ length: Math.ceil(file_size / part_size) }, (_, at) => at + 1);
    return { upload_id: id, object_id: id, part_urls: parts.map((part) => ({ part_number: part, url: `${url}/${part}` })) };
  }
  if (request.url!.endsWith('/upload/complete')) full.add(id);
  if (request.method === 'POST') return { result: 'ok' };
  return {
    id,
    owner: 'receiver',
    project_name: id,
    slug: id,
    unique_id_field: 'id',
    total_datums_in_project: full.has(id) ? rows : 0,
  };
}

const server = createServer((request, response) => {
  const act = async (): Promise<void> => {
    if (request.method === 'PUT') {
      response.writeHead(200, { etag: `"${await receive(request)}"`, 'content-length': 0 }).end();
      return;
    }
    const answer = await reply(request, `http://${request.headers.host}`);
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  act().catch(() => response.destroy());
});
server.keepAliveTimeout = 30_000;
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
process.on('disconnect', () => process.exit(0));
