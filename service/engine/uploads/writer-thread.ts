import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { closeSync, openSync, writevSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { WriterAnswer, WriterRequest } from './writers.ts';

// Writes and hashes the bytes of parts beside the thread that reads them from the network.

type Open = { file: number; hash: Hash; position: number; start: number };

const files = new Map<number, Open>();

const writeAll = (file: number, chunks: Uint8Array[], position: number): number => {
  let waiting = chunks;
  let at = position;
  while (waiting.length > 0) {
    let written = writevSync(file, waiting, at);
    at += written;
    waiting = waiting.flatMap((chunk) => {
      const done = Math.min(written, chunk.byteLength);
      written -= done;
      return done === chunk.byteLength ? [] : [chunk.subarray(done)];
    });
  }
  return at;
};

const answer = (reply: WriterAnswer): void => parentPort!.postMessage(reply);

const close = (id: number): Open | undefined => {
  const open = files.get(id);
  files.delete(id);
  if (open) closeSync(open.file);
  return open;
};

const carryOut = (request: WriterRequest): void => {
  const { id } = request;
  if (request.kind === 'open') {
    const { path, flags, offset } = request;
    files.set(id, { file: openSync(path, flags), hash: createHash('md5'), position: offset, start: offset });
  } else if (request.kind === 'write') {
    const open = files.get(id);
    // After a failure, which has been reported.
    if (!open) return;
    for (const chunk of request.chunks) open.hash.update(chunk);
    open.position = writeAll(open.file, request.chunks, open.position);
    answer({ id, kind: 'written', bytes: open.position - open.start });
  } else {
    const open = close(id);
    if (open) answer({ id, kind: 'closed', size: open.position - open.start, md5: open.hash.digest('hex') });
  }
};

parentPort!.on('message', (request: WriterRequest) => {
  try {
    carryOut(request);
  } catch (error) {
    try {
      close(request.id);
    } finally {
      answer({ id: request.id, kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  }
});
