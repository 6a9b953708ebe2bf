import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { scriptInput } from './support-process.ts';

// The baseline of part intake: a bare node:http server that streams each PUT to a file; hashing, the ETag is its MD5.

const { folder, hash: hashing } = scriptInput<{ folder: string; hash: boolean }>();
let files = 0;

const server = createServer((request, response) => {
  const receive = async (): Promise<void> => {
    files += 1;
    const hash = createHash('md5');
    if (hashing) request.on('data', (chunk: Uint8Array) => void hash.update(chunk));
    await pipeline(request, createWriteStream(join(folder, `received-${files}`)));
    const etag = hashing ? hash.digest('hex') : `not-hashed-${files}`;
    response.writeHead(200, { etag: `"${etag}"`, 'content-length': 0 }).end();
  };
  receive().catch(() => response.destroy());
});
server.keepAliveTimeout = 30_000;
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
process.on('disconnect', () => process.exit(0));
