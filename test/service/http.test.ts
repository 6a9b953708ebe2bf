import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { operations } from '../../contracts/index.ts';
import { served } from '../../service/apis/served.ts';
import { routesOf } from '../../service/http/addresses.ts';
import { createApi, createProject, createWorld } from './world.ts';

const unknown = '00000000-0000-4000-8000-000000000000';

describe('addresses', () => {
  test('every operation of the contracts has a route, and a fixed segment comes before a parameter', () => {
    const routes = routesOf({ maps: served.maps.addresses, instance: served.instance.addresses });
    expect(new Set(routes.flatMap((route) => ('operation' in route ? [route.operation] : [])))).toEqual(new Set(Object.keys(operations)));
    const paths = routes.map(({ path }) => path);
    expect(paths.indexOf('/v1/project/{dataset_id}/last_modified')).toBeLessThan(
      paths.indexOf('/v1/project/{organization_slug}/{project_slug}'),
    );
  });

  test('answers with and without the slash, and under /v1/dataset', async () => {
    await using world = await createWorld();
    const { project_id } = await createProject(world);
    for (const path of [
      '/v1/health',
      '/v1/health/',
      '/v1/user',
      '/v1/user/',
      '/v1/project',
      '/v1/project/',
      '/v1/dataset/',
      `/v1/dataset/${project_id}`,
      `/v1/project/${project_id}/last_modified`,
    ]) {
      expect([path, (await world.api.get(path)).status]).toEqual([path, 200]);
    }
    expect((await world.api.get('/v1/nothing')).body).toEqual({ detail: 'no such operation: GET /v1/nothing' });
  });

  test('listens on loopback of both stacks, and the control plane refuses another Host', async () => {
    await using world = await createWorld();
    const { port } = await world.service.listen();
    for (const base of [`http://127.0.0.1:${port}`, `http://[::1]:${port}`])
      expect((await createApi(fetch, base, null).get('/v1/health')).status).toBe(200);
    const status = (host: string) =>
      new Promise((resolve) =>
        request({ port, host: '127.0.0.1', path: '/__control/state', headers: { host } }, (answer) =>
          resolve(answer.resume().statusCode),
        ).end(),
      );
    expect(await status(`localhost:${port}`)).toBe(200);
    expect(await status('evil.example')).toBe(403);
  });

  test('has no control plane unless it is enabled', async () => {
    await using world = await createWorld({ control: false });
    expect((await world.api.get('/__control/state')).status).toBe(404);
  });
});

describe('what every answer has', () => {
  test('exactly application/json, and the request id sent or a new one', async () => {
    await using world = await createWorld();
    const echoed = await world.api.get('/v1/user/', { 'x-request-id': 'mine-1' });
    expect(echoed.headers.get('x-request-id')).toBe('mine-1');
    expect(echoed.headers.get('content-type')).toBe('application/json');
    expect((await world.api.get('/v1/user/')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('401 with a reason without a key and with a wrong one; health needs none', async () => {
    await using world = await createWorld();
    for (const key of [null, 'nk-wrong']) {
      const api = createApi(world.service.fetch, 'http://127.0.0.1', key);
      expect(await api.get('/v1/user')).toMatchObject({ status: 401, body: { detail: expect.stringContaining('key') } });
      expect((await api.get('/v1/health/')).status).toBe(200);
    }
  });

  test('422 names the field, for a wrong value, an unknown field and a body that is not JSON', async () => {
    await using world = await createWorld();
    const { api } = world;
    expect((await api.get('/v1/project/not-a-uuid')).body).toMatchObject({
      detail: [{ loc: ['path', 'project_id'], msg: expect.any(String), type: expect.any(String) }],
    });
    expect(await api.post('/v1/project/create', { organization_id: unknown, project_name: 7 })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'project_name'] }] },
    });
    expect((await api.post('/v1/project/create', { organization_id: unknown, project_name: 'a', nme: 'b' })).status).toBe(422);
    expect((await api.post('/v1/project/create', new TextEncoder().encode('{'))).body).toMatchObject({
      detail: [{ loc: ['body'], type: 'json_invalid' }],
    });
  });

  test('413 for a body above the largest shard', async () => {
    await using world = await createWorld();
    expect((await world.api.post('/v1/project/data/add/arrow', new Uint8Array(64 * 1_024 * 1_024 + 1))).status).toBe(413);
  });
});

test('the admin key stays the same at each start, and only its hash is in the records', async () => {
  await using world = await createWorld();
  const key = world.service.adminKeys.maps;
  await world.close();
  const again = await createWorld({ dataDir: world.dataDir });
  expect(again.service.adminKeys.maps).toBe(key);
  await again.close();
  const { readFileSync, readdirSync, statSync } = await import('node:fs');
  const holding = readdirSync(world.dataDir).filter(
    (file) => statSync(`${world.dataDir}/${file}`).isFile() && readFileSync(`${world.dataDir}/${file}`).includes(key),
  );
  expect(holding).toEqual(['maps-admin-key']);
  expect(statSync(`${world.dataDir}/maps-admin-key`).mode & 0o777).toBe(0o600);
});

test('a second service on the same folder is refused', async () => {
  await using world = await createWorld();
  await expect(createWorld({ dataDir: world.dataDir })).rejects.toThrow(/another service holds/);
});
