import { mkdtempSync, openAsBlob, readdirSync, rmSync } from 'node:fs';
import { open, rm, truncate } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCalls, type Calls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';
import { refusalOf } from '../spec/place.ts';
import { startService } from './running.ts';
import { callsOf, createWorld, unlimited, type World } from './world.ts';

let world: World;
let owner: Calls;
beforeAll(async () => {
  world = await createWorld();
  await world.service.listen();
  owner = callsOf(world, world.service.adminKeys.instance);
  await unlimited(world);
});
afterAll(async () => world[Symbol.asyncDispose]());

const file = (name: string, content: string | Uint8Array<ArrayBuffer> = name, type = ''): File => new File([content], name, { type });
const upload = (content: File | Blob, more: object = {}, by = owner) => by.invoke('instance.files.upload', { file: content, ...more });
const found = async (query: string, by = owner) => (await by.invoke('instance.files.search', { query })).data;
const control = (path: string, body: object) => world.api.post(`/__control/${path}`, body);

/** Sends the beginning of a form, and nothing behind it. */
async function halfAForm(url: string, key: string): Promise<void> {
  const sending = request(`${url}/api/v0/files/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x', 'content-length': '100000' },
  });
  // The service is killed before it answers.
  sending.on('error', () => undefined);
  sending.write('--x\r\ncontent-disposition: form-data; name="file"; filename="half.txt"\r\n\r\nthe beginning');
}

test('folders on the way are made once, and the path of a file is found with them', async () => {
  const first = await upload(file('x', 'a'), { path: 'plans/level 1/a.txt' });
  const second = await upload(file('x', 'b'), { path: 'plans/level 1/b.txt' });
  expect(second.parentId).toBe(first.parentId);
  expect((await found('a.txt')).map(({ path }) => path)).toEqual(['/files/plans/level%201/a.txt']);
  for (const path of ['../a.txt', 'a//b.txt', 'a/./b.txt', 'a/', `${'n'.repeat(256)}.txt`])
    expect([path, (await refusalOf(upload(file('x', 'b'), { path }))).status]).toEqual([path, 400]);
});

test('the same bytes again are the version that is there, other bytes of that name are the next version', async () => {
  const first = await upload(file('plan.txt', 'one'));
  const again = await upload(file('plan.txt', 'one'));
  const changed = await upload(file('plan.txt', 'two'));
  expect([again.id, again.fileVersionId]).toEqual([first.id, first.fileVersionId]);
  expect([changed.id, changed.fileVersionId === first.fileVersionId]).toEqual([first.id, false]);
  expect(await found('plan.txt')).toHaveLength(1);
});

test('what is read of types that are ingested is seen while it is processed, and a file that is none of its type has failed', async () => {
  const { id: hold } = (await control('faults', { operation: 'file.ingesting', times: 2, do: { hold: 'before' } })).body;
  const whole = await upload(file('whole.pdf', '%PDF-1.7 and so on'));
  const damaged = await upload(file('damaged.pdf', 'no such thing'));
  const status = async (id: string) => (await owner.invoke('instance.files.status', { id })).status;
  expect([whole.status, damaged.status, await status(whole.id), await status(damaged.id)]).toEqual(Array(4).fill('processing'));
  expect((await upload(file('ready.csv', 'a,b'))).status).toBe('ready');
  await control('release', { id: hold });
  await expect.poll(() => status(whole.id)).toBe('ready');
  await expect.poll(() => status(damaged.id)).toBe('failed');
});

test('a search finds each file once on pages of any size, also while others are added and discarded', async () => {
  const made: string[] = [];
  for (let at = 0; at < 7; at++) made.push((await upload(file(`paged-${at}.txt`))).id);
  for (const limit of [1, 3, 50]) {
    const seen: string[] = [];
    for await (const { data } of owner.pages('instance.files.search', { query: 'PAGED-', limit })) {
      seen.push(...data.map(({ id }) => id));
      await upload(file(`paged-later-${limit}-${seen.length}.txt`));
    }
    expect(seen.filter((id) => made.includes(id))).toEqual(made.toReversed());
    expect(new Set(seen).size).toBe(seen.length);
  }
});

test('a file of another user is not found, by search, status or as a folder', async () => {
  const { id: user } = (await control('users', { name: 'Ada', email: 'ada@example.com' })).body;
  const { key } = (await control('keys', { service: 'instance', name: 'adas', scopes: ['developer'], user })).body;
  const ada = callsOf(world, key);
  const mine = await upload(file('secret.txt'), { path: 'mine/secret.txt' });
  expect(await found('secret', ada)).toEqual([]);
  expect((await refusalOf(ada.invoke('instance.files.status', { id: mine.id }))).status).toBe(404);
  expect((await refusalOf(upload(file('x.txt'), { parentId: mine.parentId }, ada))).status).toBe(404);
});

test('a form without a file, with an empty one, or that is no form, is refused', async () => {
  const send = (body: FormData | string, headers: Record<string, string> = {}) =>
    fetch(`${world.service.url}/api/v0/files/upload`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${world.service.adminKeys.instance}`, ...headers },
    });
  const form = new FormData();
  form.set('path', 'a.txt');
  const without = await send(form);
  expect([without.status, await without.json()]).toMatchObject([400, { code: 'bad_request', issues: [{ path: ['file'] }] }]);
  form.set('file', 'a text is no file');
  expect((await send(form)).status).toBe(400);
  form.set('file', file('a.txt', ''));
  expect((await send(form)).status).toBe(400);
  expect((await send('{}', { 'content-type': 'application/json' })).status).toBe(400);
  expect((await send('--x\r\nbroken', { 'content-type': 'multipart/form-data; boundary=x' })).status).toBe(400);
  expect(readdirSync(join(world.dataDir, 'incoming'))).toEqual([]);
});

test('what nobody has launched is discarded a day after its upload, what an agent has adopted stays', async () => {
  const { id: folder } = await owner.invoke('instance.files.tempFolder', {});
  expect((await owner.invoke('instance.files.tempFolder', {})).id).toBe(folder);
  const { id } = await upload(file('passing.txt'), { parentId: folder });
  const versions = readdirSync(join(world.dataDir, 'files'));
  await control('clock', { offsetSeconds: 24 * 3_600 - 60 });
  expect(await found('passing')).toHaveLength(1);
  await control('clock', { offsetSeconds: 24 * 3_600 + 60 });
  expect(await found('passing')).toEqual([]);
  expect((await refusalOf(owner.invoke('instance.files.status', { id }))).status).toBe(404);
  await control('clock', { offsetSeconds: 0 });
  expect(readdirSync(join(world.dataDir, 'files'))).toEqual(versions);
});

test('the same bytes uploaded again begin their day in the temporary folder anew', async () => {
  const { id: folder } = await owner.invoke('instance.files.tempFolder', {});
  const hours = (offset: number) => control('clock', { offsetSeconds: offset * 3_600 });
  const first = await upload(file('renewed.txt'), { parentId: folder });
  await hours(23.9);
  expect(await upload(file('renewed.txt'), { parentId: folder })).toMatchObject({ id: first.id, fileVersionId: first.fileVersionId });
  await hours(24.1);
  expect((await owner.invoke('instance.files.status', { id: first.id })).status).toBe('ready');
  await hours(23.9 + 24.1);
  expect((await refusalOf(owner.invoke('instance.files.status', { id: first.id }))).status).toBe(404);
  await hours(0);
});

test('a file that has failed is processed anew when its bytes are uploaded again: those that have come are read', async () => {
  const bytes = '%PDF-1.7 whole';
  const { id: hold } = (await control('faults', { operation: 'file.ingesting', do: { hold: 'before' } })).body;
  const first = await upload(file('again.pdf', bytes));
  const status = async () => (await owner.invoke('instance.files.status', { id: first.id })).status;
  rmSync(join(world.dataDir, 'files', first.fileVersionId));
  await control('release', { id: hold });
  await expect.poll(status).toBe('failed');
  const again = await upload(file('again.pdf', bytes));
  expect([again.id, again.fileVersionId, again.status]).toEqual([first.id, first.fileVersionId, 'processing']);
  await expect.poll(status).toBe('ready');
});

test('a search finds names whatever the case of their letters, and however these are composed', async () => {
  await upload(file('ÄRGER über Größe.txt'));
  await upload(file('A\u0308ste.txt'));
  for (const query of ['ärger', 'ÄRGER', 'Über', 'GRÖSSE', 'größe']) expect([query, (await found(query)).length]).toEqual([query, 1]);
  expect([(await found('äste')).length, (await found('argers')).length]).toEqual([1, 0]);
  await owner.invoke('instance.projects.create', { name: 'Überbau', projectNumber: 'É-7' });
  const projects = async (search: string) => (await owner.invoke('instance.projects.list', { search })).data.length;
  expect([await projects('üBERbau'), await projects('é-7'), await projects('uberbau')]).toEqual([1, 1, 0]);
  await owner.invoke('instance.workflows.create', { name: 'ÉTUDE', description: 'ŁÓDŹ' });
  const workflows = async (query: string) => (await owner.invoke('instance.workflows.list', { query })).data.length;
  expect([await workflows('étude'), await workflows('łódź')]).toEqual([1, 1]);
  await control('users', { name: 'Osten', email: 'Osten@example.com' });
  expect((await owner.invoke('instance.users.list', { email: 'oSTEN@' })).data).toHaveLength(1);
});

test('a form of 200 MB is written while it comes, and one above 500 MB is refused before it has come', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'portolan-large-'));
  try {
    const path = join(dir, 'large.txt');
    await (await open(path, 'w')).close();
    await truncate(path, 200 * 1_048_576);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5);
    const made = await upload(new File([await openAsBlob(path)], 'large.txt'));
    clearInterval(watch);
    expect(made.size).toBe(200 * 1_048_576);
    // Service and client are one process here.
    expect(most).toBeLessThan(100 * 1_048_576);
    await truncate(path, 502 * 1_048_576);
    expect((await refusalOf(upload(new File([await openAsBlob(path)], 'larger.txt')))).status).toBe(413);
    expect(readdirSync(join(world.dataDir, 'incoming'))).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('after kill -9 files are there with their bytes, what was being processed is processed, and half a form has left nothing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portolan-files-'));
  const callsAt = ({ ready }: Awaited<ReturnType<typeof startService>>) =>
    createCalls(() => ({ baseUrl: ready.url, token: ready.adminKeys.instance, permits: createPermits() }));
  try {
    const first = await startService(dataDir);
    await first.api.post('/__control/faults', { operation: 'file.ingesting', do: { hold: 'before' } });
    const pdf = await upload(file('kept.pdf', '%PDF-1.7'), {}, callsAt(first));
    expect((await callsAt(first).invoke('instance.files.status', { id: pdf.id })).status).toBe('processing');
    await halfAForm(first.ready.url, first.ready.adminKeys.instance);
    await expect.poll(() => readdirSync(join(dataDir, 'incoming'))).toHaveLength(1);
    await first.kill();
    const second = await startService(dataDir);
    try {
      await expect.poll(async () => (await callsAt(second).invoke('instance.files.status', { id: pdf.id })).status).toBe('ready');
      expect(readdirSync(join(dataDir, 'files'))).toEqual([pdf.fileVersionId]);
      expect(readdirSync(join(dataDir, 'incoming'))).toEqual([]);
      expect(await found('kept', callsAt(second))).toMatchObject([{ id: pdf.id }]);
    } finally {
      await second.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
