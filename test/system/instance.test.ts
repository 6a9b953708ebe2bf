import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCalls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const instance = () => createCalls(() => ({ baseUrl: world.url, token: world.adminKeys.instance, permits: createPermits() }));
const issue = (name: string, scopes: string[] = ['developer'], user?: string) =>
  world.control.issueKey({ service: 'instance', name, scopes, ...(user === undefined ? {} : { user }) });

const revocation = `
name: revocation
params: { key: { type: string } }
steps:
  keys: { use: api.call, with: { operation: instance.apiKeys.list, input: { limit: 1000 } } }
  ask: { use: gate.approve, with: { show: "\${{ size(steps.keys.result.data) }} keys" } }
  revoke:
    use: api.call
    needs: [ask]
    with: { operation: instance.apiKeys.revoke, input: { id: "\${{ params.key }}", reason: leaked } }
outputs: { revoked: "\${{ steps.revoke.result }}" }
`;

const revokeByPipeline = async (key: string) => {
  const { result } = await world.run(revocation, { key });
  expect(result.state).toBe('approval');
  await world.portolan(['approve', result.run, 'ask', '--note', 'yes']);
  return (await world.ended(result.run)).view;
};

test('a pipeline of the instance API alone reads keys, asks, and revokes one: the plan names its connection and no other', async () => {
  const { id, key } = await issue('ci');
  const plan = await world.portolan(['plan', await world.pipeline(revocation), '-c', 'local', '-p', `key=${id}`, '--json']);
  expect(JSON.parse(plan.out)).toMatchObject({ connections: { instance: 'local' } });
  expect(Object.keys(JSON.parse(plan.out).connections)).toEqual(['instance']);

  const { value: view, effects } = await world.effectsOf(() => revokeByPipeline(id));
  expect(view.state).toBe('done');
  expect(view.outputs).toMatchObject({
    revoked: { success: true, apiKey: { id, keyPrefix: key.slice(0, 9), revokedAt: expect.any(String) } },
  });
  expect(effects.map(({ operation, changed }) => [operation, changed])).toEqual([['instance.apiKeys.revoke', 1]]);
  const refused = await fetch(`${world.url}/api/v0/api-keys`, { headers: { authorization: `Bearer ${key}` } });
  expect(refused.status).toBe(401);
});

test('a key that is revoked already counts as revoked: a lost answer, too, ends well and revokes once', async () => {
  const { id } = await issue('twice');
  await world.control.fault('instance.apiKeys.revoke', 1, { lose: 'answer' });
  const { value: view, effects } = await world.effectsOf(() => revokeByPipeline(id));
  expect([view.state, view.outputs]).toEqual(['done', { revoked: { success: true, apiKey: { id } } }]);
  expect(effects.map(({ changed }) => changed)).toEqual([1]);
  await expect(instance().invoke('instance.apiKeys.revoke', { id })).resolves.toEqual({ success: true, apiKey: { id } });
});

test('pages give every key once, newest first, whatever their size', async () => {
  const made: string[] = [];
  for (let at = 0; at < 7; at++) made.push((await issue(`page-${at}`)).id);
  for (const limit of [1, 3, 7, 1_000]) {
    const seen: string[] = [];
    let total: number | null | undefined;
    let pages = 0;
    for await (const { data, totalCount } of instance().pages('instance.apiKeys.list', { limit })) {
      seen.push(...data.map(({ id }) => id));
      total = totalCount;
      pages++;
    }
    expect(pages).toBe(Math.ceil(total! / limit));
    expect(seen.filter((id) => made.includes(id))).toEqual(made.toReversed());
    expect([new Set(seen).size, seen.length]).toEqual([total, total]);
  }
  const all = await world.portolan(['call', 'instance.apiKeys.list', '--json', '{"limit": 2}', '--all', '-c', 'local']);
  expect(all.out.trim().split('\n').length).toBeGreaterThanOrEqual(7);
});

test('a user who is disabled loses the keys for good, and their number is reported', async () => {
  const user = await world.control.addUser({ name: 'Ada', email: 'ada@example.com' });
  const keys = [await issue('a', ['developer'], user.id), await issue('b', ['developer'], user.id)];
  const api = instance();
  expect(await api.invoke('instance.users.get', { id: user.id })).toMatchObject({
    email: 'ada@example.com',
    disabled: false,
    apiKeyCount: 2,
  });
  expect((await api.invoke('instance.users.list', { email: 'ADA@' })).data).toMatchObject([{ id: user.id }]);
  expect(await api.invoke('instance.users.disable', { id: user.id, reason: 'left' })).toMatchObject({
    revokedApiKeys: 2,
    user: { disabled: true },
  });
  expect(await api.invoke('instance.users.disable', { id: user.id, reason: 'left' })).toMatchObject({ revokedApiKeys: 0 });
  expect(await api.invoke('instance.users.enable', { id: user.id, reason: 'back' })).toMatchObject({ user: { disabled: false } });
  for (const includeRevoked of [undefined, false, '1'])
    expect((await api.invoke('instance.apiKeys.list', { userId: user.id, includeRevoked })).data).toEqual([]);
  const { data } = await api.invoke('instance.apiKeys.list', { userId: user.id, includeRevoked: true });
  expect(data.map(({ id, revokedAt }) => [id, typeof revokedAt])).toEqual(keys.map(({ id }) => [id, 'string']).toReversed());
});

test('the keys of a user that count are the active ones', async () => {
  const user = await world.control.addUser({ name: 'Eve', email: 'eve@example.com' });
  const [gone] = [await issue('gone', ['developer'], user.id), await issue('stays', ['developer'], user.id)];
  await instance().invoke('instance.apiKeys.revoke', { id: gone.id });
  expect(await instance().invoke('instance.users.get', { id: user.id })).toMatchObject({ apiKeyCount: 1 });
});

test('a key does what its scopes and its owner allow', async () => {
  const member = await world.control.addUser({ name: 'Bob', email: 'bob@example.com' });
  const as = (key: string) => createCalls(() => ({ baseUrl: world.url, token: key, permits: createPermits() }));
  const read = (await issue('read', ['admin:api-keys:read'])).key;
  const write = (await issue('write', ['admin:api-keys:write'])).key;
  const members = (await issue('members', ['admin'], member.id)).key;
  await expect(as(read).invoke('instance.apiKeys.list', {})).resolves.toBeDefined();
  await expect(as(write).invoke('instance.apiKeys.list', {}), 'to write is to read').resolves.toBeDefined();
  await expect(as(read).invoke('instance.apiKeys.revoke', { id: member.id })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  await expect(as(read).invoke('instance.users.list', {})).rejects.toMatchObject({ status: 403 });
  await expect(as(members).invoke('instance.apiKeys.list', {})).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('no administrator'),
  });
  await expect(as(world.adminKeys.maps).invoke('instance.apiKeys.list', {})).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
});

test('refusals have the form of the instance API', async () => {
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${world.url}${path}`, { ...init, headers: { authorization: `Bearer ${world.adminKeys.instance}` } });
    return [answer.status, await answer.json()];
  };
  expect(await ask('/api/v0/api-keys?limit=0')).toMatchObject([400, { code: 'bad_request', issues: [{ path: ['limit'] }] }]);
  expect(await ask('/api/v0/users?limit=1001')).toMatchObject([400, { issues: [{ path: ['limit'] }] }]);
  expect(await ask('/api/v0/api-keys?limit=1001')).toMatchObject([200, {}]);
  expect(await ask('/api/v0/api-keys?cursor=x')).toMatchObject([400, { code: 'bad_request', issues: [{ path: ['cursor'] }] }]);
  expect(await ask('/api/v0/nothing')).toMatchObject([404, { code: 'not_found' }]);
  expect(await ask('/api/v0/api-keys', { method: 'DELETE' })).toMatchObject([405, { code: 'method_not_allowed' }]);
  expect(await ask('/api/v0/users/00000000-0000-4000-8000-00000000000A')).toMatchObject([
    404,
    { error: expect.stringContaining('00000000a') },
  ]);
});

test('a key of the maps API is made, used and deleted; its value is in its file and nowhere else in the run', async () => {
  const organization = (await world.api.user.get({})).organizations[0]!.organization_id;
  const { result, out } = await world.run(
    `
name: making
params: { organization: { type: string } }
steps:
  make:
    use: api.call
    with:
      operation: maps.keys.create
      input: { organization_id: "\${{ params.organization }}", key_name: nightly }
      secret: nightly-key
outputs: { made: "\${{ steps.make.result }}" }
`,
    { organization },
  );
  expect([result.state, result.outputs]).toEqual(['done', { made: { key: 'secret:nightly-key' } }]);
  const file = join(world.state, 'secrets', 'nightly-key');
  const key = (await readFile(file, 'utf8')).trim();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(out + JSON.stringify(await world.events(result.run))).not.toContain(key);
  const mine = createCalls(() => ({ baseUrl: world.url, token: key, permits: createPermits() }));
  expect((await mine.invoke('maps.keys.list', { organization_id: organization })).keys).toContainEqual(
    expect.objectContaining({ key_name: 'nightly', suffix: key.slice(-4) }),
  );
  await mine.invoke('maps.keys.remove', { organization_id: organization, key_name: 'nightly' });
  await expect(mine.invoke('maps.user.get', {})).rejects.toMatchObject({ status: 401 });
});

test('a key whose answer was lost is left to a person, and not made twice', async () => {
  const organization = (await world.api.user.get({})).organizations[0]!.organization_id;
  await world.control.fault('maps.keys.create', 1, { lose: 'answer' });
  const { value, effects } = await world.effectsOf(() =>
    world.run(`
name: lost
steps:
  make: { use: api.call, with: { operation: maps.keys.create, input: { organization_id: ${organization}, key_name: lost } } }
`),
  );
  expect(value.result).toMatchObject({ state: 'failed', error: { message: expect.stringContaining("key 'lost' was made") } });
  expect(effects.map(({ operation }) => operation)).toEqual(['maps.keys.create']);
});

test('a name of a secret is given once', async () => {
  const organization = (await world.api.user.get({})).organizations[0]!.organization_id;
  const create = (name: string, ...more: string[]) =>
    world.portolan([
      'call',
      'maps.keys.create',
      '--json',
      JSON.stringify({ organization_id: organization, key_name: name }),
      '-c',
      'local',
      ...more,
    ]);
  const first = await create('once', '--secret', 'only');
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining(join('secrets', 'only')) });
  expect(JSON.parse(first.out)).toEqual({ key: 'secret:only' });
  const { value: second, calls } = await world.callsOf(() => create('again', '--secret', 'only'));
  expect([second.code, second.err, calls]).toEqual([1, expect.stringContaining("a secret named 'only' already"), []]);
  expect(JSON.parse((await create('shown', '--reveal')).out).key).toMatch(/^nk-/);
});
