import { expect, test } from 'vitest';
import { operations } from '../../contracts/index.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { pathFields } from '../../contracts/endpoint.ts';
import { memberWith, useInstance } from './instance-place.ts';
import { proves } from './proves.ts';
import { unlimited } from '../service/world.ts';

const place = useInstance();
const nowhere = '00000000-0000-4000-8000-000000000000';
const ofInstance = Object.entries<Endpoint>(operations).filter(([name]) => name.startsWith('instance.'));

/** The status of a request that names nothing that is there: what a key may not send is refused before that is seen. */
async function statusOf(endpoint: Endpoint, key: string | undefined): Promise<number> {
  const path = pathFields(endpoint.path).reduce((path, field) => path.replace(`{${field}}`, nowhere), endpoint.path);
  const headers = { authorization: key === undefined ? 'none' : `Bearer ${key}` };
  const answer = await place().api.send(endpoint.method, path, endpoint.method === 'GET' ? undefined : {}, headers);
  return answer.status;
}

/** Every scope that an operation needs, and some that none does. */
const scopes = [...new Set([...ofInstance.flatMap(([, each]) => each.scopes ?? []), 'developer', 'admin', 'developer:none'])];

/** Written once more, without the code that decides it. */
const allows: Readonly<Record<string, readonly string[]>> = {
  developer: scopes.filter((scope) => scope.startsWith('developer')),
  admin: scopes.filter((scope) => scope.startsWith('admin')),
  'developer:projects:admin': ['developer:projects:read'],
  'developer:budgets:write': ['developer:budgets:read'],
  'admin:api-keys:write': ['admin:api-keys:read'],
  'admin:users:write': ['admin:users:read'],
};

test('every operation is refused to every key without its scope, and to no key that has it', async () => {
  const cells: [string, string, boolean][] = [];
  for (const scope of scopes) {
    const { key } = (await place().api.post('/__control/keys', { service: 'instance', name: scope, scopes: [scope] })).body as {
      key: string;
    };
    for (const [name, endpoint] of ofInstance) {
      const may = [scope, ...(allows[scope] ?? [])].some((each) => endpoint.scopes?.includes(each));
      cells.push([name, scope, ((await statusOf(endpoint, key)) === 403) === !may]);
    }
  }
  expect(cells.filter(([, , right]) => !right)).toEqual([]);
  expect(cells).toHaveLength(ofInstance.length * scopes.length);
});

test('every operation needs a key, and those of administrators one of an administrator', async () => {
  const { key } = await memberWith(place(), ['admin', 'developer']);
  for (const [name, endpoint] of ofInstance) {
    expect([name, await statusOf(endpoint, undefined)]).toEqual([name, 401]);
    const forAdministrators = endpoint.scopes!.every((scope) => scope.startsWith('admin:'));
    expect([name, (await statusOf(endpoint, key)) === 403]).toEqual([name, forAdministrators]);
  }
});

test('who was removed from the organization is refused every operation by the keys that are left', async () => {
  const { calls, organization } = place();
  const left = await memberWith(place(), ['admin', 'developer']);
  const { organization_id } = organization;
  const refused = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const [name, endpoint] of ofInstance) if ((await statusOf(endpoint, left.key)) === 403) found.push(name);
    return found;
  };
  await calls.invoke('maps.members.update', { organization_id, user_id: left.id, access_role: 'ADMIN' });
  expect(await refused()).toEqual([]);
  await calls.invoke('maps.members.remove', { organization_id, user_id: left.id });
  expect(await refused()).toEqual(ofInstance.map(([name]) => name));
});

proves(
  ['instance:limits/standard-rate-limit-300-requests-per-minute', 'instance:limits/write-rate-limit-60-requests-per-minute'],
  'keys are listed 300 times a minute and revoked 60 times, by all keys of a user together, which the headers count',
  async () => {
    const { api, service } = place();
    await api.post('/__control/limits/reset', {});
    const keys = [service.adminKeys.instance];
    const made = (await api.post('/__control/keys', { service: 'instance', name: 'second', scopes: ['admin'] })).body as { key: string };
    keys.push(made.key);
    for (const [count, method, path] of [
      [300, 'GET', '/api/v0/api-keys'],
      [60, 'POST', `/api/v0/api-keys/${nowhere}/revoke`],
    ] as const) {
      for (let at = 0; at < count; at++) {
        const { status, headers } = await api.send(method, path, undefined, { authorization: `Bearer ${keys[at % 2]}` });
        expect(status).not.toBe(429);
        expect(headers.get('x-ratelimit-limit')).toBe(String(count));
        expect(headers.get('x-ratelimit-remaining')).toBe(String(count - at - 1));
      }
      for (const key of keys) {
        const { status, headers, body } = await api.send(method, path, undefined, { authorization: `Bearer ${key}` });
        expect([status, body.code, headers.get('x-ratelimit-remaining')]).toEqual([429, 'rate_limited', '0']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1_000);
      }
    }
    await unlimited(place());
  },
);

test.each([
  ['instance/standard', 300, 'GET', '/api/v0/projects'],
  ['instance/write', 60, 'POST', '/api/v0/projects'],
  ['instance/heavy', 30, 'POST', '/api/v0/agents'],
  ['instance/search', 60, 'POST', '/api/v0/codes/search'],
] as const)(
  'a user has %s by the minute over all keys, told by headers, and no other user or class loses by it',
  async (limit, count, method, path) => {
    const { api } = place();
    await api.post('/__control/limits/reset', {});
    const some = await memberWith(place());
    const { key: second } = (await api.post('/__control/keys', { service: 'instance', name: 'more', scopes: ['developer'], user: some.id }))
      .body;
    const keys = [some.key, second as string];
    const send = (key: string, of: string = path, by: 'GET' | 'POST' = method) =>
      api.send(by, of, by === 'GET' ? undefined : {}, { authorization: `Bearer ${key}` });
    for (let at = 0; at < count; at++) {
      const { status, headers } = await send(keys[at % 2]!);
      expect([status === 429, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
        false,
        String(count),
        String(count - at - 1),
      ]);
    }
    for (const key of keys) {
      const { status, headers } = await send(key);
      expect([status, headers.get('x-ratelimit-remaining'), Number(headers.get('retry-after')) > 0]).toEqual([429, '0', true]);
    }
    expect((await send((await memberWith(place())).key)).status).not.toBe(429);
    const other = limit === 'instance/standard' ? (['/api/v0/projects', 'POST'] as const) : (['/api/v0/projects', 'GET'] as const);
    expect((await send(some.key, ...other)).status).not.toBe(429);
    await unlimited(place());
  },
);

const revoke = async (id: string, key: string | undefined): Promise<number> => {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return (await place().api.post(`/api/v0/api-keys/${id}/revoke`, {}, headers)).status;
};
const keyWith = async (...scopes: string[]): Promise<{ id: string; key: string }> =>
  (await place().api.post('/__control/keys', { service: 'instance', name: scopes.join(), scopes })).body;

proves(
  ['instance:errors/401', 'instance:errors/403', 'instance:authentication/3'],
  'a revocation needs a key, its scope, and an administrator as its owner',
  async () => {
    const { id } = await keyWith('developer');
    expect(await revoke(id, 'npk_unknown')).toBe(401);
    expect(await revoke(id, (await keyWith('admin:api-keys:read')).key)).toBe(403);
    expect(await revoke(id, (await memberWith(place(), ['admin'])).key)).toBe(403);
    expect(await revoke(id, (await keyWith('admin:api-keys:write')).key)).toBe(200);
  },
);

proves(
  ['instance:errors/404', 'instance:errors/409', 'instance:api-keys/1'],
  'a key that is not there, or revoked, is not revoked, and stays so',
  async () => {
    const { id, key } = await keyWith('developer:files');
    const admin = place().service.adminKeys.instance;
    expect([await revoke(nowhere, admin), await revoke(id, admin), await revoke(id, admin)]).toEqual([404, 200, 409]);
    const headers = { authorization: `Bearer ${key}` };
    expect((await place().api.get('/api/v0/files/search?query=x', headers)).status).toBe(401);
  },
);
