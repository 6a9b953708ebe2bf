import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createProject, createWorld } from './world.ts';

const uuid = '00000000-0000-4000-8000-00000000000a';

describe('what public clients of the maps API expect of every address', () => {
  test('a wrong method is a 405 that names the right ones; a path of an operation is no dataset', async () => {
    await using world = await createWorld();
    const wrong = await world.api.send('DELETE', '/v1/project/create');
    expect([wrong.status, wrong.headers.get('allow'), wrong.body]).toEqual([
      405,
      'POST',
      { detail: '/v1/project/create takes POST, not DELETE' },
    ]);
    expect((await world.api.get('/v1/project/search/id')).status).toBe(422);
    expect((await world.api.get(`/v1/project/${uuid}/resources`)).body).toEqual({ detail: `project not found: ${uuid}` });
    expect((await world.api.get('/v1/project/sidebar/list')).body).toEqual({ projects: [] });
  });

  test('whatever the text names is served or unknown, and never another method of a wider path', async () => {
    await using world = await createWorld();
    const text = readFileSync(new URL('../../docs/spec/maps-v1.txt', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/\b(GET|POST)(?: \|)? (\/v1\/[^\s;|]*[^\s;|.])/g)];
    const wrong: string[] = [];
    for (const [, method, path] of rows) {
      const { status } = await world.api.send(method!, path!.replaceAll(/\{\w+\}/g, uuid), method === 'GET' ? undefined : {});
      if (status === 405) wrong.push(`${method} ${path}`);
    }
    expect(rows.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });

  test('every answer has the id of its request, also where nothing is there', async () => {
    await using world = await createWorld();
    for (const path of ['/v1/user', '/v1/nothing', '/api/v0/nothing', '/nothing']) {
      expect((await world.api.get(path, { 'x-request-id': 'mine' })).headers.get('x-request-id')).toBe('mine');
      expect((await world.api.get(path)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('a missing or wrong key is a 401 that says how a key is sent', async () => {
    await using world = await createWorld();
    for (const authorization of ['', 'Bearer nk-wrong']) {
      const answer = await world.api.get('/v1/user', { authorization });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  test('pages of other origins may call the maps API, and no other', async () => {
    await using world = await createWorld();
    const asked = {
      origin: 'https://page.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await world.api.send('OPTIONS', '/v1/query', undefined, asked);
    expect([
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-headers'),
    ]).toEqual([204, '*', 'authorization']);
    const read = (await world.api.get('/v1/user')).headers;
    expect(read.get('access-control-allow-origin')).toBe('*');
    // What a client acts by: when to send again, how to send a key, what is deprecated and what replaces it.
    const shown = read.get('access-control-expose-headers')?.split(', ');
    expect(shown).toEqual(expect.arrayContaining(['retry-after', 'x-request-id', 'www-authenticate', 'allow', 'deprecation', 'link']));
    const refused = await world.api.get('/v1/user', { authorization: '' });
    expect([refused.status, refused.headers.get('access-control-expose-headers')?.split(', ')]).toEqual([401, shown]);
    expect((await world.api.get('/api/v0/api-keys')).headers.get('access-control-allow-origin')).toBeNull();
    expect((await world.api.send('OPTIONS', '/api/v0/api-keys', undefined, asked)).status).not.toBe(204);
    expect((await world.api.send('OPTIONS', '/__control/state', undefined, asked)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a uuid in capitals is the same uuid', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world);
    expect((await world.api.get(`/v1/project/${project_id.toUpperCase()}`)).body).toMatchObject({ id: project_id });
  });

  test('a finding of a query names its parameter', async () => {
    await using world = await createWorld();
    const { status, body } = await world.api.get(`/v1/project/projection/${uuid}/datums?qid=1-1&qid=bad`);
    expect([status, body.detail]).toMatchObject([422, [{ loc: ['query', 'qid', 1] }]]);
  });

  test('a refused addition has the form that makes clients send it again, or raise', async () => {
    await using world = await createWorld();
    const add = async (status: number, detail?: string) => {
      const { body } = await world.api.post('/__control/faults', {
        operation: 'maps.data.addArrow',
        do: { status, ...(detail === undefined ? {} : { detail }) },
      });
      const answer = await world.api.send('POST', '/v1/project/data/add/arrow', new Uint8Array(8));
      await world.api.send('DELETE', '/__control/faults');
      expect(body.id).toBeDefined();
      return [answer.headers.get('content-type'), answer.body ?? new TextDecoder().decode(answer.bytes)];
    };
    for (const status of [413, 429, 503, 504]) expect(await add(status, 'later')).toEqual(['text/plain', 'later']);
    const lock = 'Project transaction lock is held';
    expect(await add(409, lock)).toEqual(['application/json', { detail: lock, [lock]: true }]);
    expect(await add(403, lock)).toEqual(['application/json', { status_code: 403, detail: lock, [lock]: true }]);
    expect(await add(500, 'broken')).toEqual(['application/json', { detail: 'broken' }]);
  });
});
