import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequestLog } from '../../service/core/request-log.ts';
import { issueKey } from '../../service/core/records/keys.ts';
import { createLimits } from '../../service/core/rate-limits.ts';
import { openRecords } from '../../service/core/records/database.ts';
import { ConnectionCut } from '../../service/http/recorded.ts';
import { createApi, createMap, createProject, createWorld } from './world.ts';
import type { World } from './world.ts';

const order = async ({ api }: World, fault: object): Promise<string> => (await api.post('/__control/faults', fault)).body.id;
const journal = async ({ api }: World) => (await api.get('/__control/journal')).body;

/** From here on clocks stand still but for what a test lets pass. */
const stopClocks = (): void => {
  vi.useFakeTimers({ toFake: ['hrtime', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
};
const requests = async ({ api }: World) => (await api.get('/__control/requests')).body;

describe('faults', () => {
  test('fire at the nth call from now, as often as ordered, and are accounted', async () => {
    await using world = await createWorld();
    const user = async () => (await world.api.get('/v1/user')).status;
    await order(world, { operation: 'maps.user.get', nth: 2, times: 2, do: { status: 503 } });
    await order(world, { operation: 'maps.projects.list', do: { status: 500 } });
    expect([await user(), await user(), await user(), await user()]).toEqual([200, 503, 503, 200]);
    const state = (await world.api.get('/__control/state')).body;
    expect(state.faults).toMatchObject([
      { fired: 2, unfired: false },
      { fired: 0, unfired: true },
    ]);
    expect(state.unfired).toHaveLength(1);
    expect((await world.api.post('/__control/faults', { operation: 'maps.user.got', do: { status: 500 } })).status).toBe(422);
    await world.api.send('DELETE', '/__control/faults');
    expect((await world.api.get('/__control/faults')).body.faults).toEqual([]);
  });

  test('carry Retry-After as seconds or as a date in the future', async () => {
    await using world = await createWorld();
    await order(world, { operation: 'maps.user.get', do: { status: 429, retryAfter: 7 } });
    expect((await world.api.get('/v1/user')).headers.get('retry-after')).toBe('7');
    await order(world, { operation: 'maps.user.get', do: { status: 202, retryAfter: 'date' } });
    const before = Date.now();
    const answer = await world.api.get('/v1/user');
    expect(answer.status).toBe(202);
    const retryAfter = answer.headers.get('retry-after')!;
    expect(new Date(retryAfter).toUTCString()).toBe(retryAfter);
    expect(Date.parse(retryAfter)).toBeGreaterThanOrEqual(before + 2_000);
  });

  test('a lost answer has its effect, a reset connection has none', async () => {
    await using world = await createWorld();
    const { url } = await world.service.listen();
    const socket = createApi(fetch, url, world.service.adminKeys.maps);
    await order(world, { operation: 'maps.projects.create', nth: 1, do: { reset: 'before' } });
    await order(world, { operation: 'maps.projects.create', nth: 2, do: { lose: 'answer' } });
    await expect(createProject({ ...world, api: socket })).rejects.toThrow('fetch failed');
    expect((await journal(world)).rows).toHaveLength(0);
    await expect(createProject({ ...world, api: socket })).rejects.toThrow('fetch failed');
    expect((await journal(world)).rows).toHaveLength(1);
    await order(world, { operation: 'maps.projects.create', do: { lose: 'answer' } });
    await expect(createProject(world)).rejects.toThrow(ConnectionCut);
    expect((await journal(world)).summary).toEqual({ effects: 2, repeated: 1, harmless: 0 });
    expect((await requests(world)).rows.map(({ status }: { status: number }) => status)).toEqual([200, 0, 0, 0]);
  });

  test('a held call waits before or after its effect until it is released', async () => {
    await using world = await createWorld();
    const { api } = world;
    const id = await order(world, { operation: 'maps.projects.create', do: { hold: 'before' } });
    const creating = createProject(world);
    expect((await api.post('/__control/holds/wait', { id })).body).toEqual({ occupied: true });
    expect((await journal(world)).rows).toHaveLength(0);
    await api.post('/__control/release', { id });
    await creating;

    const after = await order(world, { operation: 'maps.projects.create', do: { hold: 'after' } });
    const second = createProject(world, 'second');
    await api.post('/__control/holds/wait', { id: after });
    expect((await journal(world)).rows).toHaveLength(2);
    await api.post('/__control/release', { id: after });
    await second;
    expect((await api.post('/__control/holds/wait', { id: after, timeoutMs: 1 })).body).toEqual({ occupied: false });
    expect((await api.post('/__control/release', { id: 'none' })).status).toBe(404);
  });

  test('a held call whose client went away takes effect when it is released', async () => {
    await using world = await createWorld();
    const { url } = await world.service.listen();
    const id = await order(world, { operation: 'maps.projects.create', do: { hold: 'before' } });
    const gone = new AbortController();
    const api = createApi((request) => fetch(request, { signal: gone.signal }), url, world.service.adminKeys.maps);
    const creating = createProject({ ...world, api });
    await world.api.post('/__control/holds/wait', { id });
    gone.abort();
    await expect(creating).rejects.toThrow('aborted');
    await world.api.post('/__control/release', { id });
    // A later write waits for nothing but the earlier one: both are journaled.
    await createProject(world, 'later');
    expect((await journal(world)).rows.map(({ subject }: { subject: string }) => subject.split('/').at(-1)).sort()).toEqual([
      'later',
      'ships',
    ]);
  });
});

describe('limits', () => {
  test('accept exactly the count in a window and ask for whole seconds, per class', async () => {
    stopClocks();
    await using world = await createWorld();
    await world.api.post('/__control/limits', { class: 'maps/write', count: 2, seconds: 30 });
    const create = () => world.api.post('/v1/project/create', { organization_id: world.organization.organization_id, project_name: 'x' });
    const answers = [await create(), await create(), await create()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(answers[2]!.headers.get('retry-after')).toBe('30');
    expect((await world.api.get('/v1/user')).status).toBe(200);
    expect((await journal(world)).summary.effects).toBe(2);
    await world.api.post('/__control/limits', { class: 'maps/write', count: null });
    expect((await create()).status).toBe(201);
  });

  test('count by the subject of their class: users apart, keys of one user together, everyone at an address together', () => {
    const limits = createLimits();
    const of = (user: string, key: string, address: string) => ({ user, key, address });
    limits.set('maps/write', { count: 1, seconds: 30 });
    expect(limits.take('maps/write', of('ada', 'k1', 'here')).wait).toBeNull();
    expect(limits.take('maps/write', of('ada', 'k2', 'there')).wait).toBe(30);
    expect(limits.take('maps/write', of('grace', 'k3', 'here')).wait).toBeNull();
    limits.set('maps/embedding', { count: 1, seconds: 30 });
    expect(limits.take('maps/embedding', of('ada', 'k1', 'here')).wait).toBeNull();
    expect(limits.take('maps/embedding', of('grace', 'k3', 'here')).wait).toBe(30);
    expect(limits.take('maps/embedding', of('ada', 'k1', 'there')).wait).toBeNull();
  });

  test('forget whoever has asked for nothing in a window', () => {
    stopClocks();
    const limits = createLimits();
    const take = (user: string) => limits.take('maps/write', { user, key: '', address: '' }).wait;
    limits.set('maps/write', { count: 1, seconds: 90 });
    for (let at = 0; at < 50; at++) take(`u${at}`);
    vi.advanceTimersByTime(80_000);
    expect([take('u7'), limits.subjects()]).toEqual([10, 50]);
    vi.advanceTimersByTime(61_000);
    expect([take('last'), limits.subjects()]).toEqual([null, 1]);
  });

  test('say when all requests are free again, and begin anew where they are set', () => {
    stopClocks();
    const limits = createLimits();
    const take = () => limits.take('maps/write', { user: 'ada', key: '', address: '' });
    limits.set('maps/write', { count: 2, seconds: 30 });
    expect(take().window).toEqual({ count: 2, left: 1, resetInMs: 30_000 });
    vi.advanceTimersByTime(10_000);
    expect(take().window).toEqual({ count: 2, left: 0, resetInMs: 30_000 });
    vi.advanceTimersByTime(5_000);
    // The next one is free when the first leaves the window, and all of them when the last does.
    expect(take()).toEqual({ wait: 15, window: { count: 2, left: 0, resetInMs: 25_000 } });
    limits.set('maps/write', { count: 2, seconds: 30 });
    expect(take().window).toMatchObject({ left: 1 });
  });

  test('of a user hold for every key of it', async () => {
    await using world = await createWorld();
    const records = openRecords(join(world.dataDir, 'records.sqlite'));
    const { id: userId, default_organization: organizationId } = records.get<{ id: string; default_organization: string }>(
      'SELECT * FROM users',
    )!;
    const { key } = issueKey(records, { service: 'maps', userId, organizationId, name: 'second' });
    const second = createApi(world.service.fetch, 'http://127.0.0.1', key);
    records.close();
    await world.api.post('/__control/limits', { class: 'maps/read', count: 1, seconds: 30 });
    expect([(await world.api.get('/v1/user')).status, (await second.get('/v1/user')).status]).toEqual([200, 429]);
  });

  test('open again exactly when their Retry-After is over', async () => {
    stopClocks();
    await using world = await createWorld();
    await world.api.post('/__control/limits', { class: 'maps/read', count: 1, seconds: 1.4 });
    const ask = async (afterMs: number) => {
      vi.advanceTimersByTime(afterMs);
      const { status, headers } = await world.api.get('/v1/user');
      return [status, headers.get('retry-after')];
    };
    expect(await ask(0)).toEqual([200, null]);
    expect(await ask(0)).toEqual([429, '2']);
    expect(await ask(1_399)).toEqual([429, '1']);
    expect(await ask(1)).toEqual([200, null]);
  });

  test('of text embedding are 1,200 in five minutes and address by default', async () => {
    await using world = await createWorld();
    expect((await world.api.get('/__control/limits')).body.limits).toMatchObject({ 'maps/embedding': { count: 1_200, seconds: 300 } });
  });
});

describe('the log of requests', () => {
  const headers = (process: string, call: string) => ({ 'x-client-process': process, 'x-call-id': call });

  test('counts a call and a process that come before the Retry-After that they were given is over, and no others', async () => {
    await using world = await createWorld();
    await order(world, { operation: 'maps.user.get', do: { status: 429, retryAfter: 600 } });
    await world.api.get('/v1/user', headers('one', 'a'));
    await world.api.get('/v1/user', headers('two', 'b'));
    await world.api.post(
      '/v1/project/create',
      { organization_id: world.organization.organization_id, project_name: 'x' },
      headers('one', 'c'),
    );
    expect((await requests(world)).summary).toMatchObject({ refused: 1, early_same_call: 0, early_same_process: 0 });
    await world.api.get('/v1/project/', headers('one', 'd'));
    expect((await requests(world)).summary).toMatchObject({ early_same_call: 0, early_same_process: 1 });
    await world.api.get('/v1/user', headers('two', 'a'));
    expect((await requests(world)).summary).toMatchObject({ early_same_call: 1, early_same_process: 1 });
  });

  test('does not count what waited, and remembers over a restart', async () => {
    stopClocks();
    const world = await createWorld();
    await order(world, { operation: 'maps.user.get', do: { status: 503, retryAfter: 30 } });
    await world.api.get('/v1/user', headers('one', 'a'));
    await world.close();
    await using again = await createWorld({ dataDir: world.dataDir });
    await again.api.get('/v1/user', headers('one', 'a'));
    expect((await requests(again)).summary).toMatchObject({ early_same_call: 1, early_same_process: 1 });
    vi.advanceTimersByTime(30_000);
    await again.api.get('/v1/user', headers('one', 'a'));
    expect((await requests(again)).summary).toMatchObject({ early_same_call: 1, early_same_process: 1 });
  });

  test('holds a client that names the refusals it has read to these alone, whatever its clock says', async () => {
    await using world = await createWorld();
    await order(world, { operation: 'maps.user.get', do: { status: 429, retryAfter: 600 } });
    const refused = await world.api.get('/v1/user', headers('one', 'a'));
    const read = refused.headers.get('x-request-id')!.slice(0, 8);
    const get = (call: string, refusals: string, path = '/v1/project/') =>
      world.api.get(path, { ...headers('one', call), 'x-refusals-read': refusals });
    await get('b', '-');
    await get('c', 'abcdefgh');
    expect((await requests(world)).summary).toMatchObject({ early_same_call: 0, early_same_process: 0 });
    await get('d', `abcdefgh,${read}`);
    expect((await requests(world)).summary).toMatchObject({ early_same_call: 0, early_same_process: 1 });
    await get('a', read, '/v1/user');
    expect((await requests(world)).summary).toMatchObject({ early_same_call: 1, early_same_process: 2 });
    // What is no list of ids says nothing.
    await get('e', 'all of them');
    expect((await requests(world)).summary).toMatchObject({ early_same_process: 3 });
  });

  test('is apart from the journal: reads and refusals leave no effect', async () => {
    await using world = await createWorld();
    await createMap(world);
    await world.api.post('/v1/project/create', {});
    expect((await journal(world)).rows.map(({ operation }: { operation: string }) => operation)).toEqual([
      'maps.projects.create',
      'maps.data.addArrow',
      'maps.indices.create',
    ]);
  });
});

describe('the control plane takes no order', () => {
  const orders = async (
    headers: Record<string, string> | ((own: string) => Record<string, string>),
    body = '{"operation":"maps.user.get","do":{"status":500}}',
  ) => {
    await using world = await createWorld();
    const { url } = await world.service.listen();
    const { status } = await fetch(`${url}/__control/faults`, {
      method: 'POST',
      body,
      headers: typeof headers === 'function' ? headers(url) : headers,
    });
    const { faults } = (await world.api.get('/__control/faults')).body as { faults: unknown[] };
    return [status, faults.length];
  };
  const json = { 'content-type': 'application/json' };

  test('from a page of another origin', async () => {
    for (const site of ['cross-site', 'same-site']) expect(await orders({ ...json, 'sec-fetch-site': site })).toEqual([403, 0]);
    expect(await orders({ ...json, 'sec-fetch-site': 'same-origin' })).toEqual([201, 1]);
    expect(await orders(json)).toEqual([201, 1]);
  });

  test('with the origin of another page, also from a browser that says no more', async () => {
    for (const origin of ['http://127.0.0.1:9', 'https://example.org', 'null']) expect(await orders({ ...json, origin })).toEqual([403, 0]);
    expect(await orders({ ...json, origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-origin' })).toEqual([403, 0]);
    expect(await orders({ ...json, origin: 'null', 'sec-fetch-site': 'same-origin' })).toEqual([201, 1]);
    expect(await orders((own) => ({ ...json, origin: own }))).toEqual([201, 1]);
  });

  test('that a form could have sent', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      expect(await orders({ 'content-type': type })).toEqual([415, 0]);
  });

  test('that a proxy of this machine passes on for another', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
      expect(await orders({ ...json, [name]: '10.0.0.9' })).toEqual([403, 0]);
  });
});

test('a service whose data folder is taken away confirms nothing until it is back', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'portolan-taken-'));
  const dataDir = join(parent, 'data');
  try {
    await using world = await createWorld({ dataDir });
    renameSync(dataDir, join(parent, 'away'));
    const refused = await world.api.post('/v1/project', { project_name: 'x' });
    expect([refused.status, refused.body.detail]).toEqual([
      503,
      expect.stringContaining('is gone: put it back; a service that is started without it begins empty'),
    ]);
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'lock.sqlite'), '');
    expect((await world.api.get('/v1/user')).status).toBe(503);
    rmSync(dataDir, { recursive: true });
    renameSync(join(parent, 'away'), dataDir);
    expect((await world.api.get('/v1/user')).status).toBe(200);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

test('journal and log of requests give the rows of a span; what repeats is known from all', async () => {
  await using world = await createWorld();
  await createProject(world);
  const [first] = (await journal(world)).rows;
  await order(world, { operation: 'maps.user.get', do: { duplicate: 'delivery' } });
  await world.api.get('/v1/user');
  const all = (await requests(world)).rows;
  const from = all.at(-1).at;
  expect((await world.api.get(`/__control/requests?from=${from}`)).body.rows.length).toBeLessThan(all.length);
  expect((await world.api.get(`/__control/journal?from=${first.at + 1}`)).body.rows).toEqual([]);
  expect((await world.api.get(`/__control/journal?from=${first.at}&to=${first.at}`)).body.rows).toEqual([first]);
});

test('the log of requests keeps its latest rows only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-log-'));
  const log = createRequestLog(join(folder, 'requests.sqlite'), 50);
  try {
    for (let at = 1; at <= 500; at++)
      log.write(
        {
          at,
          monotonic: at,
          request_id: `r${at}`,
          call_id: null,
          process: null,
          operation: 'maps.user.get',
          path: '/',
          limit_class: 'maps/read',
          user: null,
          status: 200,
          bytes: 0,
          retry_after: null,
          ms: 1,
          fault: null,
          early: 0,
          early_same_call: 0,
          early_same_process: 0,
        },
        null,
      );
    const rows = log.rows();
    expect(rows.length).toBeLessThanOrEqual(100);
    expect(rows.at(-1)!.request_id).toBe('r500');
  } finally {
    log.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
