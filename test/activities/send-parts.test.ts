import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StepContext } from '../../activities/frame/context.ts';
import { begin, sendParts, type Sending } from '../../activities/dataset/send-parts.ts';
import { uploadFiles, type UploadPlan } from '../../activities/dataset/upload-files.ts';
import { digestParts } from '../../child/inside/digest-parts.ts';
import { filePrint } from '../../child/inside/file-print.ts';
import { createPermits } from '../../client/permits.ts';
import { createPutPart } from '../../client/put-part.ts';
import { createRunStore } from '../../store/create-run-store.ts';

const partSize = 1_000_000;
const bytes = Buffer.alloc(5 * partSize - 7);
for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) >>> 0, Math.min(at, bytes.length - 4));

let folder: string;
let server: Server;
/** Parts as they came, and what the receiver says to each. */
let received: { part: number; bytes: Buffer }[];
let etagOf: (bytes: Buffer, part: number) => string;
let context: StepContext;
let sending: Sending;
const md5 = (part: Buffer): string => createHash('md5').update(part).digest('hex');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portolan-parts-'));
  received = [];
  etagOf = (part) => md5(part);
  server = createServer(async (request, response) => {
    const part = { part: Number(request.url!.slice(1)), bytes: Buffer.concat(await request.toArray()) };
    received.push(part);
    response.writeHead(200, { etag: `"${etagOf(part.bytes, part.part)}"` }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const file = join(folder, 'rows.arrow');
  await writeFile(file, bytes);
  const store = createRunStore(pathToFileURL(join(folder, 'run')).href);
  context = {
    store,
    step: 'rows',
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
    putPart: createPutPart(createPermits()),
  } as unknown as StepContext;
  const print = await filePrint(file);
  const digests = await digestParts({ print, partSize });
  sending = { ...print, attempt: 'one', dataset: 'd', sha256: digests.sha256, partSize, parts: 5 };
  await context.store.writeJson('upload/rows/one/digests.json', digests.parts);
  await uploadFiles(context).keepPlan(planOf('upload-1'));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const planOf = (upload_id: string): UploadPlan => {
  const { port } = server.address() as AddressInfo;
  const urls = Array.from({ length: 5 }, (_, at) => `http://127.0.0.1:${port}/${at + 1}`);
  return { generation: 1, sha256: 'x', upload_id, object_id: 'o', urls };
};
const all = [1, 2, 3, 4, 5];
const send = (parts = all) => sendParts(context, sending, parts);
const notes = async () => (await context.store.events()).map(({ cause }) => cause);

test('every part is written down with its ETag, and is not sent a second time', async () => {
  await send([2, 3]);
  await send();
  await send();
  expect(new Set(received.map(({ part }) => part))).toEqual(new Set(all));
  expect(received).toHaveLength(5);
  expect(Buffer.concat(received.toSorted((a, b) => a.part - b.part).map((part) => part.bytes)).equals(bytes)).toBe(true);
  const sent = await uploadFiles(context).sent(1);
  expect(new Set(sent.keys())).toEqual(new Set(all));
  const last = md5(bytes.subarray(4 * partSize));
  expect(sent.get(5)).toMatchObject({ etag: `"${last}"`, md5: last, request_id: expect.any(String) });
});

test('a line of the ledger that a kill has cut is as good as never written, and spoils no other', async () => {
  await send([1]);
  await appendFile(context.store.path('upload', 'rows', 'parts-1.jsonl'), '\n{"part":2,"etag":"\\"');
  await send([3]);
  expect([...(await uploadFiles(context).sent(1)).keys()]).toEqual([1, 3]);
});

test('digests that a fault of the disk has cut off are named with their file, and no part is sent', async () => {
  const file = context.store.path('upload', 'rows', 'one', 'digests.json');
  await writeFile(file, '[{"crc32":1');
  await expect(send()).rejects.toMatchObject({ name: 'DamagedFile', message: expect.stringMatching(`^${file} is damaged: `) });
  expect(received).toEqual([]);
});

test('a part that arrived damaged is sent again', async () => {
  let damaged = 1;
  etagOf = (part, number) => (number === 3 && damaged-- > 0 ? md5(Buffer.from('damaged')) : md5(part));
  await send();
  expect(received.filter(({ part }) => part === 3)).toHaveLength(2);
  expect(received).toHaveLength(6);
  expect(await notes()).toEqual([expect.stringMatching(/^part 3: its ETag .* sent again$/)]);
});

test('ETags that only look like digests cost one part, not the upload', async () => {
  etagOf = (_, part) => md5(Buffer.from(`opaque ${part} ${received.length}`));
  await send([1]);
  await send();
  expect(received).toHaveLength(6);
  expect(await notes()).toContain('ETags of this service are no MD5: parts are not compared with them');
});

test('the plan that was kept first holds, whoever comes later', async () => {
  const kept = await Promise.all(['a', 'b', 'c'].map((upload) => uploadFiles(context).keepPlan({ ...planOf(upload), generation: 2 })));
  expect(new Set(kept.map(({ upload_id }) => upload_id)).size).toBe(1);
  expect((await uploadFiles(context).plan())!.upload_id).toBe(kept[0]!.upload_id);
});

test('of a file with other bytes and the same size and time no whole part leaves', async () => {
  const file = await open(sending.file, 'r+');
  await file.write(Buffer.from('other'), 0, 5, 2 * partSize + 17);
  await file.close();
  // As where a clock does not move between two writes.
  sending = { ...sending, mtimeMs: (await stat(sending.file)).mtimeMs };
  await expect(send()).rejects.toThrow(/changed while it was sent \(part 3 holds other bytes\); nothing of it was added/);
  expect(received.map(({ part }) => part)).not.toContain(3);
});

test('of one generation there is one upload: what was kept first holds, and no further one is begun', async () => {
  expect(await uploadFiles(context).keepPlan(planOf('upload-2'))).toMatchObject({ upload_id: 'upload-1' });
  // Nothing is asked of the service: this context has none.
  expect(await begin(context, sending, 1)).toMatchObject({ upload_id: 'upload-1' });
});

test('steps of one run that begin at the same moment have an upload each', async () => {
  let begun = 0;
  const start = async () => {
    const { upload_id, object_id, urls } = planOf(`upload-of-${(begun += 1)}`);
    return { upload_id, object_id, part_urls: urls.map((url, at) => ({ part_number: at + 1, url })) };
  };
  const contextOf = (step: string): StepContext =>
    ({ ...context, step, fence: async () => undefined, maps: { uploads: { start } } }) as unknown as StepContext;
  const plans = await Promise.all(['films', 'books', 'films'].map((step) => begin(contextOf(step), sending, 1)));
  const [films, books, again] = plans.map(({ upload_id }) => upload_id);
  // Whichever of the two was the first.
  expect(new Set([films, books])).toEqual(new Set(['upload-of-1', 'upload-of-2']));
  expect(again).toBe(films);
});
