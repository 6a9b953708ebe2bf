import { expect, test } from 'vitest';
import { z } from 'zod';
import { refreshSeconds } from '../../service/core/identity/sessions.ts';
import { signIn } from '../support/sign-in.ts';
import { answered, once, text, time, uuid, whole } from './instance-fields.ts';
import { allOf, memberWith, plain, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';
import { nowhere } from './rows/made.ts';

const place = useInstance();
const owner = () => place().owner;
type Made = { id: string; key: string };
const keyWith = async (more: object = {}): Promise<Made> =>
  (await place().api.post('/__control/keys', { service: 'instance', name: 'made', scopes: ['developer:files'], ...more })).body;
const listed = async (id: string, includeRevoked = false) =>
  (await allOf(owner().pages('instance.apiKeys.list', includeRevoked ? { includeRevoked } : {}))).find((each) => each.id === id);

const made = once(() => keyWith({ name: 'for files', scopes: ['developer:files', 'developer:parse'] }));
const key = answered(async () => listed((await made()).id));

proves(['instance:api-key/id'], 'a key has an id', key('id', uuid));
proves(['instance:api-key/name'], 'a key has a name', key('name', z.literal('for files')));
proves(['instance:api-key/createdAt'], 'a key says when it was made', key('createdAt', time));
proves(['instance:api-key/user#id'], 'a key names its owner by the id', key('user.id', uuid));
proves(
  ['instance:api-key/user#email'],
  'a key names its owner by the email',
  key('user.email', z.email({ pattern: z.regexes.html5Email })),
);
proves(['instance:api-key/scopes'], 'a key has its scopes', async () => {
  expect((await listed((await made()).id))!.scopes).toEqual(['developer:files', 'developer:parse']);
});

proves(
  ['instance:api-key/keyPrefix', 'instance:api-key/keyPrefix.1', 'instance:api-key/keyPrefix.2'],
  'of a key its first characters are shown, and the whole of it nowhere',
  async () => {
    const { id, key: secret } = await keyWith();
    const { keyPrefix } = (await listed(id))!;
    expect(secret.startsWith(keyPrefix!)).toBe(true);
    expect(keyPrefix!.length).toBeLessThan(secret.length / 2);
    expect(keyPrefix).toMatch(/^npk_[\w-]/);
    const answers = [
      await plain(place()).get('/api/v0/api-keys?includeRevoked=true'),
      await plain(place()).post(`/api/v0/api-keys/${id}/revoke`),
    ];
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(secret);
  },
);

proves(['instance:api-key/lastUsedAt'], 'a key says when it was used last, and null before', async () => {
  const { id, key: secret } = await keyWith();
  expect((await listed(id))!.lastUsedAt).toBeNull();
  await place().withKey(secret).invoke('instance.files.search', { query: 'x' });
  expect(time.safeParse((await listed(id))!.lastUsedAt).success).toBe(true);
});

proves(['instance:api-key/expiresAt'], 'a key that does not expire says so by null, another when it does', async () => {
  const { id } = await keyWith();
  expect((await listed(id))!.expiresAt).toBeNull();
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const passing = await keyWith({ expiresAt: at });
  expect((await listed(passing.id))!.expiresAt).toBe(at);
  const over = await keyWith({ expiresAt: new Date(Date.now() - 1_000).toISOString() });
  expect((await refusalOf(place().withKey(over.key).invoke('instance.files.search', { query: 'x' }))).status).toBe(401);
  await place().withKey(passing.key).invoke('instance.files.search', { query: 'x' });
});

proves(
  ['instance:api-key/revokedAt', 'instance:GET /api-keys#includeRevoked', 'instance:POST /api-keys/{id}/revoke#revokedAt'],
  'an active key is not revoked by null, and one that is stands in the list where it is asked for',
  async () => {
    const { id } = await keyWith();
    expect((await listed(id))!.revokedAt).toBeNull();
    const { apiKey } = await owner().invoke('instance.apiKeys.revoke', { id });
    expect(time.safeParse(apiKey.revokedAt).success).toBe(true);
    expect(await listed(id)).toBeUndefined();
    expect((await listed(id, true))!.revokedAt).toBe(apiKey.revokedAt);
    const of = async (includeRevoked: string) =>
      (await plain(place()).get(`/api/v0/api-keys?limit=1000&includeRevoked=${includeRevoked}`)).body.data.some(
        (each: Made) => each.id === id,
      );
    expect([await of('true'), await of('false'), await of('yes')]).toEqual([true, false, false]);
  },
);

proves(['instance:api-key/user'], 'a key belongs to one user, and keys are listed by theirs', async () => {
  const member = await memberWith(place());
  const { data, totalCount } = await owner().invoke('instance.apiKeys.list', { userId: member.id });
  expect([data.map((each) => each.user), totalCount]).toEqual([[{ id: member.id, email: member.email }], 1]);
});

proves(
  ['instance:GET /api-keys#data', 'instance:GET /api-keys#nextCursor', 'instance:GET /api-keys#totalCount'],
  'keys come page by page, with the number of all',
  async () => {
    const member = await memberWith(place());
    for (let at = 0; at < 4; at++) await keyWith({ user: member.id });
    const first = await owner().invoke('instance.apiKeys.list', { userId: member.id, limit: 2 });
    expect([first.data.length, first.totalCount, typeof first.nextCursor]).toEqual([2, 5, 'string']);
    const all = await allOf(owner().pages('instance.apiKeys.list', { userId: member.id, limit: 2 }));
    expect(new Set(all.map(({ id }) => id)).size).toBe(5);
    const last = await owner().invoke('instance.apiKeys.list', { userId: member.id, limit: 5 });
    expect([last.data, last.nextCursor]).toEqual([all, null]);
  },
);

proves(['instance:GET /api-keys.1'], 'the list of keys is these three fields', async () => {
  const { status, body } = await plain(place()).get('/api/v0/api-keys');
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ['data', 'nextCursor', 'totalCount']]);
});

proves(
  ['instance:POST /api-keys/{id}/revoke.2', 'instance:POST /api-keys/{id}/revoke#apiKey', 'instance:POST /api-keys/{id}/revoke#keyPrefix'],
  'a revocation is answered by the key that it was of',
  async () => {
    const { id, key: secret } = await keyWith();
    const { status, body } = await plain(place()).post(`/api/v0/api-keys/${id}/revoke`);
    expect([status, body]).toEqual([
      200,
      { success: true, apiKey: { id, keyPrefix: secret.slice(0, body.apiKey.keyPrefix.length), revokedAt: expect.any(String) } },
    ]);
    expect(body.apiKey.keyPrefix.length).toBeGreaterThan(4);
  },
);

proves(
  ['instance:POST /api-keys/{id}/revoke#id', 'instance:POST /api-keys/{id}/revoke#success'],
  'the key that is revoked is the one that the path names, and it is no key any more',
  async () => {
    const [one, other] = [await keyWith(), await keyWith()];
    expect((await owner().invoke('instance.apiKeys.revoke', { id: one.id })).success).toBe(true);
    const search = (by: Made) => place().withKey(by.key).invoke('instance.files.search', { query: 'x' });
    expect((await refusalOf(search(one))).status).toBe(401);
    await search(other);
    expect((await plain(place()).post('/api/v0/api-keys/no-id/revoke')).status).toBe(400);
  },
);

proves(
  ['instance:POST /api-keys/{id}/revoke.1', 'instance:POST /api-keys/{id}/revoke#reason'],
  'a revocation may say why, and the audit log keeps it',
  async () => {
    const { id } = await keyWith();
    for (const wrong of [7, null]) expect((await plain(place()).post(`/api/v0/api-keys/${id}/revoke`, { reason: wrong })).status).toBe(400);
    await owner().invoke('instance.apiKeys.revoke', { id, reason: 'it was in a log' });
    const { rows } = (await place().api.get('/__control/audit')).body;
    expect(rows.at(-1)).toMatchObject({ operation: 'instance.apiKeys.revoke', subject: id, reason: 'it was in a log' });
  },
);

const revoke = (id: string, by?: string) => plain(place(), by).post(`/api/v0/api-keys/${id}/revoke`);

proves(['instance:errors/401.1', 'instance:errors/401.2'], 'without a key, or with one that is none, nothing is revoked', async () => {
  const { id } = await keyWith();
  const without = await place().api.send('POST', `/api/v0/api-keys/${id}/revoke`, {}, { authorization: '' });
  expect([without.status, (await revoke(id, 'npk_none')).status, (await revoke(id, place().service.adminKeys.maps)).status]).toEqual([
    401, 401, 401,
  ]);
  expect((await listed(id))!.revokedAt).toBeNull();
});

proves(
  ['instance:errors/403.1', 'instance:errors/403.2'],
  'a key without the scope, or whose owner is no administrator, revokes nothing',
  async () => {
    const { id } = await keyWith();
    const byMember = (await memberWith(place(), ['admin:api-keys:write'])).key;
    const reading = (await keyWith({ scopes: ['admin:api-keys:read'] })).key;
    const developing = (await keyWith({ scopes: ['developer'] })).key;
    for (const by of [byMember, reading, developing]) {
      const { status, body } = await revoke(id, by);
      expect([status, body.code]).toEqual([403, 'forbidden']);
    }
    expect((await listed(id))!.revokedAt).toBeNull();
  },
);

proves(['instance:errors/404.1', 'instance:errors/404.2'], 'a key that is not there is not found', async () => {
  const { status, body } = await revoke(nowhere);
  expect([status, body.code]).toEqual([404, 'not_found']);
});

proves(['instance:errors/409.1', 'instance:errors/409.2'], 'a key that is revoked is not revoked once more', async () => {
  const { id } = await keyWith();
  await revoke(id);
  const { revokedAt } = (await listed(id, true))!;
  const { status, body } = await revoke(id);
  expect([status, body.code, (await listed(id, true))!.revokedAt]).toEqual([409, 'conflict', revokedAt]);
});

const person = once(() => memberWith(place()));
const user = answered(async () => owner().invoke('instance.users.get', { id: (await person()).id }));

proves(['instance:user/1#disabled'], 'a user is disabled or not', user('disabled', z.literal(false)));
proves(['instance:user/1#updatedAt'], 'a user was changed at a time', user('updatedAt', time));
proves(['instance:user/1#apiKeyCount'], 'a user has a number of keys', user('apiKeyCount', z.literal(1)));
proves(['instance:user/1#sessionCount'], 'a user has a number of sessions', user('sessionCount', whole));
proves(['instance:user/1', 'instance:GET /users/{id}.1'], 'a user has these fields', async () => {
  const { id, email } = await person();
  expect((await plain(place()).get(`/api/v0/users/${id}`)).body).toEqual({
    id,
    email,
    name: expect.any(String),
    disabled: false,
    disabledAt: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    apiKeyCount: 1,
    sessionCount: 0,
  });
  for (const field of ['name', 'createdAt']) await user(field, text)();
});

test('of a user the keys and sessions are counted that hold: none that has expired, was revoked or has ended', async () => {
  const { id } = await memberWith(place());
  const counts = async () => {
    const { apiKeyCount, sessionCount } = await owner().invoke('instance.users.get', { id });
    return [apiKeyCount, sessionCount];
  };
  await keyWith({ user: id, expiresAt: new Date(Date.now() - 1_000).toISOString() });
  const passing = await keyWith({ user: id, expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await counts()).toEqual([2, 0]);
  await owner().invoke('instance.apiKeys.revoke', { id: passing.id });
  const { key } = (await place().api.post('/__control/keys', { service: 'maps', name: 'signs in', user: id })).body as Made;
  const { invoke } = place().withKey(key);
  const signedIn = async () => {
    const code = await signIn((await invoke('maps.identity.authorize', {})).authorization_url, key);
    return invoke('maps.identity.token', { code });
  };
  const [one] = [await signedIn(), await signedIn()];
  expect(await counts()).toEqual([1, 2]);
  await place().withKey(one.access_token).invoke('maps.identity.logout', {});
  expect(await counts()).toEqual([1, 1]);
  await place().api.post('/__control/clock', { offsetSeconds: refreshSeconds });
  expect(await counts().finally(() => place().api.post('/__control/clock', { offsetSeconds: 0 }))).toEqual([1, 0]);
});

proves(
  ['instance:GET /users.1', 'instance:GET /users#email'],
  'all users of the organization are listed, or those whose email has a part in any case',
  async () => {
    const some = await memberWith(place());
    const all = await allOf(owner().pages('instance.users.list', { limit: 7 }));
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining([some.id, (await person()).id]));
    const [name] = some.email.split('@');
    const by = async (email: string) => (await owner().invoke('instance.users.list', { email })).data.map((each) => each.id);
    expect([await by(name!.toUpperCase()), await by(`${name}@`)]).toEqual([[some.id], [some.id]]);
    expect(await by('%@%')).toEqual([]);
  },
);

proves(
  ['instance:POST /users/{id}/disable.1', 'instance:POST /users/{id}/disable#revokedApiKeys'],
  'who is disabled has no keys any more, and gets none back',
  async () => {
    const some = await memberWith(place());
    const second = await keyWith({ user: some.id });
    const { revokedApiKeys } = await owner().invoke('instance.users.disable', { id: some.id, reason: 'left' });
    expect(revokedApiKeys).toBe(2);
    for (const by of [some.key, second.key])
      expect((await refusalOf(place().withKey(by).invoke('instance.files.search', { query: 'x' }))).status).toBe(401);
    expect((await owner().invoke('instance.users.disable', { id: some.id, reason: 'left' })).revokedApiKeys).toBe(0);
    await owner().invoke('instance.users.enable', { id: some.id, reason: 'back' });
    expect((await refusalOf(some.invoke('instance.files.search', { query: 'x' }))).status).toBe(401);
    expect((await owner().invoke('instance.users.get', { id: some.id })).apiKeyCount).toBe(0);
  },
);

proves(
  ['instance:POST /users/{id}/disable.2', 'instance:POST /users/{id}/disable#success', 'instance:POST /users/{id}/disable#user'],
  'to disable is answered by the user',
  async () => {
    const { id, email } = await memberWith(place());
    const { status, body } = await plain(place()).post(`/api/v0/users/${id}/disable`, { reason: 'left' });
    const disabledAt = (await owner().invoke('instance.users.get', { id })).disabledAt!;
    expect([status, body]).toEqual([200, { success: true, user: { id, email, disabled: true, disabledAt }, revokedApiKeys: 1 }]);
  },
);

const disabled = once(async () => {
  const { id } = await memberWith(place());
  return owner().invoke('instance.users.disable', { id, reason: 'left' });
});
const off = answered(disabled);
proves(['instance:POST /users/{id}/disable#id'], 'who was disabled has an id', off('user.id', uuid));
proves(['instance:POST /users/{id}/disable#email'], 'who was disabled has an email', off('user.email', text));
proves(['instance:POST /users/{id}/disable#disabled'], 'who was disabled is so', off('user.disabled', z.literal(true)));
proves(['instance:POST /users/{id}/disable#disabledAt'], 'who was disabled is so since a time', off('user.disabledAt', time));

const enabled = once(async () => owner().invoke('instance.users.enable', { id: (await disabled()).user.id, reason: 'back' }));
const on = answered(enabled);
proves(['instance:POST /users/{id}/enable#id'], 'who was enabled has an id', on('user.id', uuid));
proves(['instance:POST /users/{id}/enable#email'], 'who was enabled has an email', on('user.email', text));
proves(['instance:POST /users/{id}/enable#disabled'], 'who was enabled is not disabled', on('user.disabled', z.literal(false)));
proves(
  ['instance:POST /users/{id}/enable.1', 'instance:POST /users/{id}/enable#success', 'instance:POST /users/{id}/enable#user'],
  'to enable is answered by the user',
  async () => {
    const { id, email } = await memberWith(place());
    await owner().invoke('instance.users.disable', { id, reason: 'left' });
    const { status, body } = await plain(place()).post(`/api/v0/users/${id}/enable`, { reason: 'back' });
    expect([status, body]).toEqual([200, { success: true, user: { id, email, disabled: false } }]);
    expect(await owner().invoke('instance.users.get', { id })).toMatchObject({ disabled: false, disabledAt: null });
  },
);

proves(
  ['instance:POST /users/{id}/disable#reason', 'instance:POST /users/{id}/enable#reason'],
  'why somebody is disabled and enabled stands in the audit log, and has to be said',
  async () => {
    const { id } = await memberWith(place());
    const send = (what: string, body: object) => plain(place()).post(`/api/v0/users/${id}/${what}`, body);
    for (const what of ['disable', 'enable'] as const) {
      for (const wrong of [{}, { reason: 7 }, { reason: '' }]) expect((await send(what, wrong)).status).toBe(400);
      expect((await send(what, { reason: `to ${what}` })).status).toBe(200);
      const { rows } = (await place().api.get('/__control/audit')).body;
      expect(rows.at(-1)).toMatchObject({ operation: `instance.users.${what}`, subject: id, reason: `to ${what}` });
    }
  },
);
