import { describe, expect, test } from 'vitest';
import { addRows, createApi, createProject, createWorld, shardOf } from './world.ts';
import type { World } from './world.ts';

const order = async ({ api }: World, fault: object): Promise<string> => {
  const { status, body } = await api.post('/__control/faults', fault);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
};
const journal = async ({ api }: World) => (await api.get('/__control/journal')).body;
const requests = async ({ api }: World): Promise<Record<string, any>[]> => (await api.get('/__control/requests')).body.rows;

/** The same service over a socket. */
const overSocket = async (world: World) => {
  const { url } = await world.service.listen();
  return { url, api: createApi(fetch, url, world.service.adminKeys.maps) };
};

test('a reset after the effect is a lost answer by its other name', async () => {
  await using world = await createWorld();
  const { api } = await overSocket(world);
  await order(world, { operation: 'maps.projects.create', do: { reset: 'after' } });
  await expect(createProject({ ...world, api })).rejects.toThrow('fetch failed');
  expect((await journal(world)).rows).toHaveLength(1);
  expect((await requests(world)).at(-1)).toMatchObject({ operation: 'maps.projects.create', status: 0, fault: '{"reset":"after"}' });
});

test('a lost answer is lost, whatever the answer is', async () => {
  await using world = await createWorld();
  const { api } = await overSocket(world);
  await order(world, { operation: 'maps.projects.get', do: { reset: 'after' } });
  await expect(api.get('/v1/project/00000000-0000-4000-8000-000000000000')).rejects.toThrow('fetch failed');
});

test('a slow body comes whole, in pieces, at the rate', async () => {
  await using world = await createWorld();
  const ask = () =>
    world.service.fetch(new Request('http://127.0.0.1/v1/user/', { headers: { authorization: `Bearer ${world.service.adminKeys.maps}` } }));
  const whole = await (await ask()).text();
  await order(world, { operation: 'maps.user.get', do: { slow: { bytesPerSecond: whole.length * 2 } } });
  const started = performance.now();
  const answer = await ask();
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)));
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body!) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe(whole);
  expect(pieces.length).toBeGreaterThan(3);
  expect(performance.now() - started).toBeGreaterThan(400);
});

test('a truncated body promises more than comes; the effect has happened', async () => {
  await using world = await createWorld();
  const { url, api } = await overSocket(world);
  await order(world, { operation: 'maps.user.get', do: { truncate: 'body' } });
  const answer = await fetch(`${url}/v1/user/`, { headers: { authorization: `Bearer ${world.service.adminKeys.maps}` } });
  expect(answer.status).toBe(200);
  const seen: Uint8Array[] = [];
  await expect(
    (async () => {
      for await (const piece of answer.body!) seen.push(piece);
    })(),
  ).rejects.toThrow('terminated');
  const came = Buffer.concat(seen).byteLength;
  expect(came).toBeGreaterThan(0);
  expect(came).toBe(Math.floor(Number(answer.headers.get('content-length')) / 2));

  await order(world, { operation: 'maps.projects.create', do: { truncate: 'body' } });
  await expect(createProject({ ...world, api })).rejects.toThrow('terminated');
  expect((await journal(world)).summary).toMatchObject({ effects: 1, repeated: 0 });
});

describe('a duplicate delivery', () => {
  test('of what is repeatable changes nothing, of what is not is a repeat in the journal', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world);
    await order(world, { operation: 'maps.data.addArrow', do: { duplicate: 'delivery' } });
    expect((await addRows(world.api, project_id, 10)).status).toBe(200);
    expect((await journal(world)).summary).toEqual({ effects: 2, repeated: 0, harmless: 1 });
    await order(world, { operation: 'maps.projects.create', do: { duplicate: 'delivery' } });
    const { slug } = await createProject(world, 'twice');
    expect(slug).toBe('twice-2');
    expect((await journal(world)).summary).toEqual({ effects: 4, repeated: 1, harmless: 1 });
    expect(await requests(world)).toHaveLength(4);
  });

  test('gives the answer of the second delivery', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world);
    await order(world, { operation: 'maps.data.addArrow', do: { duplicate: 'delivery' } });
    expect((await world.api.post('/v1/project/data/add/arrow', shardOf(project_id, 10, { ignore: false }))).status).toBe(409);
    expect((await world.api.get(`/v1/project/${project_id}`)).body.total_datums_in_project).toBe(10);
  });
});

test('what only a part can suffer is refused for an operation', async () => {
  await using world = await createWorld();
  for (const action of [{ expired: true }, { reset: 'body' }]) {
    const { status, body } = await world.api.post('/__control/faults', { operation: 'maps.user.get', do: action });
    expect([status, body.detail[0].msg]).toEqual([422, expect.stringContaining('maps.uploads.part')]);
  }
});

describe('the intake', () => {
  /** Posts bodies side by side; the seconds until all are answered, and what the log read of them. */
  const post = async (world: World, sizes: number[]) => {
    const { url } = await overSocket(world);
    const started = performance.now();
    const answers = await Promise.all(
      sizes.map((size) =>
        fetch(`${url}/v1/project/data/add/arrow`, {
          method: 'POST',
          headers: { authorization: `Bearer ${world.service.adminKeys.maps}` },
          body: new Uint8Array(size),
        }),
      ),
    );
    for (const answer of answers) expect(answer.status).toBe(422);
    return (performance.now() - started) / 1_000;
  };

  test('reads all bodies together at its rate', async () => {
    await using world = await createWorld();
    await world.api.post('/__control/intake', { bytesPerSecond: 4_000_000 });
    const seconds = await post(world, [2_000_000, 1_000_000, 1_000_000]);
    expect(seconds).toBeGreaterThan(0.85);
    expect(
      (await requests(world))
        .slice(-3)
        .map(({ bytes }) => bytes)
        .toSorted((a, b) => a - b),
    ).toEqual([1_000_000, 1_000_000, 2_000_000]);
    await world.api.post('/__control/intake', { bytesPerSecond: null });
    expect((await world.api.get('/__control/state')).body.bytesPerSecond).toBe(null);
    expect((await world.api.post('/__control/intake', { bytesPerSecond: 0 })).status).toBe(422);
  });

  test('lets a body that waits go on when the rate is raised', async () => {
    await using world = await createWorld();
    await world.api.post('/__control/intake', { bytesPerSecond: 1_000 });
    const posting = post(world, [2_000_000]);
    // Its headers are there, and its first bytes.
    await expect.poll(async () => (await world.api.get('/__control/intake')).body.waiting).toBe(1);
    await world.api.post('/__control/intake', { bytesPerSecond: null });
    // At the old rate it would be half an hour.
    await posting;
  });

  test('holds the sender back: what is not read stays with it', async () => {
    await using world = await createWorld();
    const { url } = await overSocket(world);
    await world.api.post('/__control/intake', { bytesPerSecond: 10_000 });
    let pulled = 0;
    const gone = new AbortController();
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 65_536;
          controller.enqueue(new Uint8Array(65_536));
          if (pulled >= 15_000_000) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const sending = fetch(`${url}/v1/project/data/add/arrow`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.service.adminKeys.maps}` },
      body,
      duplex: 'half',
      signal: gone.signal,
    });
    sending.catch(() => undefined);
    let last = -1;
    // Buffers of both ends fill up, and then nothing moves.
    await expect
      .poll(
        () => {
          const same = pulled === last;
          last = pulled;
          return same;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(pulled).toBeLessThan(12_000_000);
    gone.abort();
    await expect(sending).rejects.toThrow('aborted');
  });
});

describe('the clock of the service', () => {
  const hour = 3_600;

  test.each([hour, -hour])('moved by %i s neither opens nor closes a limit', async (offsetSeconds) => {
    await using world = await createWorld();
    await world.api.post('/__control/limits', { class: 'maps/read', count: 2, seconds: 3_000 });
    const ask = async () => (await world.api.get('/v1/user')).status;
    expect(await ask()).toBe(200);
    expect((await world.api.post('/__control/clock', { offsetSeconds })).status).toBe(200);
    expect([await ask(), await ask()]).toEqual([200, 429]);
    await world.api.post('/__control/clock', { offsetSeconds: 0 });
    expect(await ask()).toBe(429);
  });

  test('moved, changes no wait that a caller was given', async () => {
    await using world = await createWorld();
    const headers = { 'x-client-process': 'one', 'x-call-id': 'a' };
    await order(world, { operation: 'maps.user.get', do: { status: 429, retryAfter: 3_000 } });
    await world.api.get('/v1/user', headers);
    await world.api.post('/__control/clock', { offsetSeconds: hour });
    await world.api.get('/v1/user', headers);
    expect((await requests(world)).at(-1)).toMatchObject({ early_same_call: 1 });
    await order(world, { operation: 'maps.user.get', do: { status: 429, retryAfter: 'date' } });
    const before = Date.now();
    const until = Date.parse((await world.api.get('/v1/user')).headers.get('retry-after')!);
    expect(until).toBeGreaterThanOrEqual(before + 2_000);
    expect(until).toBeLessThan(Date.now() + 3_000);
  });
});
