import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../cli/project/service-key.ts';
import { openRecords } from '../../service/core/records/database.ts';
import { createApi, createWorld, type World } from '../service/world.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'portolan-keys-'));
let world: World;
beforeAll(async () => {
  world = await createWorld({ dataDir });
});
afterAll(async () => {
  await world.close();
  rmSync(dataDir, { recursive: true });
});

const statusWith = async (key: string, path: string): Promise<number> =>
  (await createApi(world.service.fetch, 'http://127.0.0.1', key).get(path)).status;

test('a key that is made in the data folder of a service that runs does what its scopes say, and no more', async () => {
  const key = createKey(dataDir, { scope: ['developer:files'] });
  expect(await statusWith(key, '/api/v0/files/search?query=x')).toBe(200);
  expect(await statusWith(key, '/api/v0/projects')).toBe(403);
});

test('a key is of the user whose email is named', async () => {
  const { id } = (await world.api.post('/__control/users', { name: 'ada', email: 'ada@example.com' })).body;
  const mine = createApi(world.service.fetch, 'http://127.0.0.1', createKey(dataDir, { scope: ['developer'], user: 'ADA@example.com' }));
  const { data } = (await mine.post('/api/v0/projects', { name: 'of ada' })).body;
  expect((await mine.get(`/api/v0/projects/${data.id}/members`)).body.data).toMatchObject([{ id }]);
});

test('nobody has a key who is no member of the organization any more', async () => {
  const { id } = (await world.api.post('/__control/users', { name: 'bo', email: 'bo@example.com' })).body;
  const records = openRecords(join(dataDir, 'records.sqlite'));
  records.run('DELETE FROM memberships WHERE user_id = ?', id);
  records.close();
  expect(() => createKey(dataDir, { scope: ['developer'], user: 'bo@example.com' })).toThrow('no member of');
  const asked = await world.api.post('/__control/keys', { service: 'instance', name: 'bo', scopes: ['developer'], user: id });
  expect(asked.status).toBe(404);
});

test('what is no scope, no user or no data folder is said with what there is', () => {
  expect(() => createKey(dataDir, {})).toThrow('developer:files:upload');
  // Each scope once, though operations ask for the two that hold all as well.
  expect(() => createKey(dataDir, {})).toThrow(/^a key needs --scope; there are (?!.*\b([\w:]+), (?:.*, )?\1(?:,|$))/);
  expect(() => createKey(dataDir, { scope: ['developer:fils'] })).toThrow('did you mean developer:files?');
  expect(() => createKey(dataDir, { scope: ['admin'], user: 'nobody@example.com' })).toThrow('no user with the email');
  expect(() => createKey(join(dataDir, 'none'), { scope: ['admin'] })).toThrow('holds no service yet');
});
