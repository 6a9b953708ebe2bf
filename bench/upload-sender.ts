import { open } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import pLimit from 'p-limit';
import { answer, scriptInput } from './support-process.ts';
import { inFlight, partBytes } from './support-upload.ts';
import type { SenderInput, SenderOutcome } from './support-upload.ts';

// Sends the parts of one file as raw PUTs, as fast as it can be done by hand, and reports how long the parts took.

const { file, urls } = scriptInput<SenderInput>();

await using handle = await open(file, 'r');
const { size } = await handle.stat();
// Read into the same few buffers.
const spare: Buffer[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
const limit = pLimit(inFlight);

async function put(url: string, at: number): Promise<void> {
  const start = at * partBytes;
  const end = Math.min(size, start + partBytes);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sent = httpRequest(url, { method: 'PUT', agent, headers: { 'content-length': end - start } }, (received) => {
    received.resume().on('end', () => (received.statusCode === 200 ? resolve() : reject(new Error(`PUT: ${received.statusCode}`))));
  });
  sent.on('error', reject);
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(1 << 20);
  for (let from = start; from < end;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.byteLength, end - from), from);
    from += bytesRead;
    await new Promise<void>((written) => void sent.write(buffer.subarray(0, bytesRead), () => written()));
  }
  sent.end();
  await promise;
  spare.push(buffer);
}

const started = performance.now();
await Promise.all(urls.map((url, at) => limit(() => put(url, at))));
answer({ seconds: (performance.now() - started) / 1_000 } satisfies SenderOutcome);
