import { randomUUID } from 'node:crypto';
import { expect, describe, test } from 'vitest';
import { signIn } from '../../support/sign-in.ts';
import { createMap } from '../world.ts';
import { useClients } from './place.ts';

const place = useClients();
const json = 'application/json';

describe('who a public client is, and where its datasets are', () => {
  test('the user is read with and without the slash at the end', async () => {
    const [plain, slashed] = [await place().get('/v1/user'), await place().get('/v1/user/')];
    expect([plain.status, plain.headers['content-type'], plain.json]).toEqual([200, json, slashed.json]);
    expect(plain.json).toMatchObject({ sub: expect.any(String), nickname: expect.any(String), organizations: [place().organization] });
  });

  test('an organization is read by id and by slug, with its datasets as a list', async () => {
    const { organization_id, slug } = place().organization;
    const body = { organization_id, project_name: 'of an organization', description: '', unique_id_field: 'id', is_public: false };
    const created = await place().post('/v1/project/create', body);
    expect([created.status, created.headers['content-type']]).toEqual([201, json]);
    for (const name of [organization_id, slug]) {
      const { status, headers, json: read } = await place().get(`/v1/organization/${name}`);
      expect([status, headers['content-type']]).toEqual([200, json]);
      expect(read).toMatchObject({ id: organization_id, slug, nickname: expect.any(String) });
      expect(read.projects).toContainEqual(expect.objectContaining({ id: created.json.project_id, slug: created.json.slug }));
    }
    expect((await place().get(`/v1/organization/${randomUUID()}`)).status).toBe(404);
  });

  test('a dataset is found by the slugs of both, and where it is not the client may create it', async () => {
    const { organization_id, slug } = place().organization;
    const path = `/v1/project/${slug}/found-by-slug`;
    const missing = await place().get(path);
    expect([missing.status, missing.headers['content-type']]).toEqual([404, json]);
    const { json: made } = await place().post('/v1/project/create', { organization_id, project_name: 'found-by-slug', modality: 'text' });
    expect(made.slug).toBe('found-by-slug');
    expect((await place().get(path)).json.id).toBe(made.project_id);
    // The same under its other name.
    expect((await place().get(`/v1/dataset/${made.project_id}`)).json).toEqual((await place().get(`/v1/project/${made.project_id}`)).json);
    const removed = await place().post('/v1/project/remove', { project_id: made.project_id });
    expect([removed.status, removed.json]).toEqual([200, { result: 'ok' }]);
    expect((await place().post('/v1/project/remove', { project_id: made.project_id })).status).toBe(200);
    expect((await place().get(path)).status).toBe(404);
  });

  test('a dataset without ids of its own names no column for them, and its rows have those that clients make', async () => {
    const { arrowFile } = await import('../world.ts');
    const { Utf8 } = await import('apache-arrow');
    const { organization_id } = place().organization;
    const { project_id } = (await place().post('/v1/project/create', { organization_id, project_name: 'no ids' })).json;
    const texts = Array.from({ length: 300 }, (_, row) => `text ${row}`);
    await place().post('/v1/project/data/add/arrow', arrowFile({ project_id }, { text: { type: new Utf8(), values: texts } }), {});
    const project = (await place().get(`/v1/project/${project_id}`)).json;
    expect([project.unique_id_field, project.project_fields, project.total_datums_in_project]).toEqual([null, ['text'], 300]);
    expect(Date.parse(project.created_timestamp)).toBeGreaterThan(0);
    // Base64 of the number of the row, big-endian, without the zeros in front.
    const read = await place().post('/v1/project/data/get', { project_id, datum_ids: ['AA', 'AQ', '/w', 'AQA'] });
    expect(read.json.datums.map(({ text }: { text: string }) => text)).toEqual(['text 0', 'text 1', 'text 255', 'text 256']);
  });

  test('a key that does not begin with nk- is exchanged for a token, with which the client goes on', async () => {
    const authorize = await place().rawOpen({ method: 'GET', path: '/v1/user/authorize' });
    const code = await signIn(authorize.json.authorization_url, place().service.adminKeys.maps);
    const given = (await place().post('/v1/user/token', { code })).json;
    expect(given.refresh_token).not.toMatch(/^nk-/);
    const {
      status,
      headers,
      json: fresh,
    } = await place().rawOpen({ method: 'GET', path: `/v1/user/token/refresh/${given.refresh_token}` });
    expect([status, headers['content-type']]).toEqual([200, json]);
    // The client reads when it expires, without checking who signed it.
    const claims = JSON.parse(Buffer.from(fresh.access_token.split('.')[1], 'base64url').toString());
    expect(claims.exp).toBeGreaterThan(Date.now() / 1_000);
    const user = await place().rawOpen({ method: 'GET', path: '/v1/user', headers: { authorization: `Bearer ${fresh.access_token}` } });
    expect([user.status, user.json.sub]).toEqual([200, (await place().get('/v1/user')).json.sub]);
    expect((await place().rawOpen({ method: 'GET', path: '/v1/user/token/refresh/nobody' })).status).toBe(401);
  });
});

describe('what every address does', () => {
  test('each answer has a request id, echoed where one was sent, also where nothing is', async () => {
    for (const path of ['/v1/user', '/v1/nothing/at/all', '/nothing']) {
      expect((await place().raw({ method: 'GET', path, headers: { 'x-request-id': 'mine' } })).headers['x-request-id']).toBe('mine');
      expect((await place().raw({ method: 'GET', path })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('a wrong method is a 405, a missing key a 401 that says what is missing, a uuid in capitals the same uuid', async () => {
    const wrong = await place().raw({ method: 'DELETE', path: '/v1/project/create' });
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST']);
    const open = await place().rawOpen({ method: 'GET', path: '/v1/user' });
    expect([open.status, open.headers['www-authenticate'], open.headers['content-type']]).toEqual([401, 'Bearer', json]);
    const { organization_id } = place().organization;
    expect((await place().get(`/v1/organization/${organization_id.toUpperCase()}`)).json.id).toBe(organization_id);
  });

  test('a page of another origin may ask, and is told so before it does', async () => {
    const headers = {
      origin: 'https://page.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await place().rawOpen({ method: 'OPTIONS', path: '/v1/query', headers });
    expect([preflight.status, preflight.headers['access-control-allow-origin'], preflight.headers['access-control-allow-headers']]).toEqual(
      [204, '*', 'authorization'],
    );
    expect((await place().get('/v1/user')).headers['access-control-allow-origin']).toBe('*');
  });

  test('public datasets are read without a key, others are not', async () => {
    const { project_id, map } = await createMap(place(), 25);
    const reads = [`/v1/project/${project_id}`, `/v1/project/projection/${map}/schema`, `/v1/project/projection/${map}/get/dataset_id`];
    const statuses = async () => Promise.all(reads.map(async (path) => (await place().rawOpen({ method: 'GET', path })).status));
    expect(await statuses()).toEqual([401, 401, 401]);
    await place().post(`/v1/project/update?project_id=${project_id}`, { id: project_id, is_public: true });
    expect(await statuses()).toEqual([200, 200, 200]);
  });
});
