import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import pLimit from 'p-limit';
import type { StepContext } from '../activities/context.ts';
import { sendParts } from '../activities/send-parts.ts';
import { uploadFiles } from '../activities/upload-files.ts';
import { createTables } from '../child/create-tables.ts';
import { createPermits } from '../client/permits.ts';
import { createPutPart } from '../client/put-part.ts';
import { createRunStore } from '../store/create-run-store.ts';
import { answer, scriptInput } from './support-process.ts';
import { inFlight, partBytes } from './support-upload.ts';
import type { SenderInput, SenderOutcome } from './support-upload.ts';

// Sends the parts of one file, by the code of `dataset.upload` or as raw PUTs, and tells how long the parts took.

const { file, folder, urls, way } = scriptInput<SenderInput>();

const raw = async (): Promise<number> => {
  await using handle = await open(file, 'r');
  const { size } = await handle.stat();
  // Read into the same few buffers, as fast as it can be done by hand.
  const spare: Buffer[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const limit = pLimit(inFlight);
  const put = async (url: string, at: number): Promise<void> => {
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
  };
  const started = performance.now();
  await Promise.all(urls.map((url, at) => limit(() => put(url, at))));
  return (performance.now() - started) / 1_000;
};

const step = async (): Promise<number> => {
  const { size: bytes, mtimeMs, ino } = await stat(file);
  const print = { file, bytes, mtimeMs, ino };
  const tables = createTables();
  const digests = await tables.digestParts(print, partBytes);
  await tables.close();
  const putPart = createPutPart(createPermits());
  let first: number | undefined;
  let last = 0;
  // Of the step's context only what sending parts looks at; the plan is handed out by the bench.
  const context = {
    step: 'upload',
    run: {},
    store: createRunStore(folder),
    signal: new AbortController().signal,
    progress: () => undefined,
    maps: {
      uploads: {
        start: () => Promise.resolve({ upload_id: 'u', object_id: 'o', part_urls: urls.map((url, at) => ({ part_number: at + 1, url })) }),
      },
    },
    async putPart(...call: Parameters<typeof putPart>) {
      first ??= performance.now();
      const done = await putPart(...call);
      last = performance.now();
      return done;
    },
  } as unknown as StepContext;
  const files = uploadFiles(context);
  await mkdir(context.store.path('upload', 'upload'), { recursive: true });
  await writeFile(files.digests, JSON.stringify(digests.parts));
  const sending = { ...print, dataset: 'd', sha256: digests.sha256, partSize: partBytes, parts: urls.length };
  await sendParts(
    context,
    sending,
    urls.map((_, at) => at + 1),
  );
  return (last - first!) / 1_000;
};

answer({ seconds: await (way === 'raw' ? raw() : step()) } satisfies SenderOutcome);
