import { expect, test } from 'vitest';
import { accessSeconds, refreshSeconds } from '../../service/core/identity/sessions.ts';
import { codeSeconds } from '../../service/core/identity/codes.ts';
import { pkce, sendForm, signIn } from '../support/sign-in.ts';
import { addPerson, makeKey, refusalOf, statusesOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

/** A session of the owner of the service. */
async function session() {
  const { invoke } = place().withKey('none');
  const { authorization_url } = await invoke('maps.identity.authorize', {});
  return invoke('maps.identity.token', { code: await signIn(authorization_url, place().service.adminKeys.maps) });
}

/** Has the clock of lifetimes so many seconds ahead while something is looked at. */
async function later<T>(seconds: number, look: () => Promise<T>): Promise<T> {
  await place().api.post('/__control/clock', { offsetSeconds: seconds });
  try {
    return await look();
  } finally {
    await place().api.post('/__control/clock', { offsetSeconds: 0 });
  }
}

proves(
  ['maps:GET /v1/user/authorize', 'maps:GET /v1/user/authorize#200', 'maps:authentication/6'],
  'who asks to sign in is led to the identity provider without a key, by a program and by a browser alike',
  async () => {
    const { service, withKey } = place();
    const { authorization_url } = await withKey('none').invoke('maps.identity.authorize', { state: 'mine' });
    const plain = await fetch(`${service.url}/v1/user/authorize?state=mine`, { redirect: 'manual' });
    expect([plain.status, await plain.json()]).toEqual([200, { authorization_url }]);
    expect(plain.headers.get('refresh')).toBe(`0; url=${authorization_url}`);
    const page = await fetch(authorization_url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<input name="key"');
  },
);

proves(
  ['maps:GET /v1/user/authorize.1'],
  'the identity provider leads back to the client with its state and a code, and to no machine but this one',
  async () => {
    const { service, withKey } = place();
    const { invoke } = withKey('none');
    const redirect_uri = 'http://127.0.0.1:7777/callback?of=mine';
    const { authorization_url } = await invoke('maps.identity.authorize', { redirect_uri, state: 'a&b' });
    const answer = await sendForm(authorization_url, service.adminKeys.maps);
    const back = new URL(answer.headers.get('location')!);
    expect([answer.status, back.origin, back.pathname]).toEqual([303, 'http://127.0.0.1:7777', '/callback']);
    expect([back.searchParams.get('of'), back.searchParams.get('state')]).toEqual(['mine', 'a&b']);
    await invoke('maps.identity.token', { code: back.searchParams.get('code')! });
    for (const elsewhere of [
      'https://example.com/',
      'http://127.0.0.1.example.com/',
      'http://127.0.0.1@example.com/',
      '//x',
      'javascript:x',
    ]) {
      expect((await refusalOf(invoke('maps.identity.authorize', { redirect_uri: elsewhere }))).status, elsewhere).toBe(422);
      const forged = new URL(authorization_url);
      forged.searchParams.set('redirect_uri', elsewhere);
      expect((await fetch(forged)).status, elsewhere).toBe(422);
      const form = new URLSearchParams({ key: service.adminKeys.maps, redirect_uri: elsewhere });
      expect((await fetch(new URL(forged.pathname, forged), { method: 'POST', body: form, redirect: 'manual' })).status).toBe(422);
    }
  },
);

proves(
  ['maps:POST /v1/user/token', 'maps:POST /v1/user/token#200', 'maps:authentication/7'],
  'a code is exchanged for tokens of the user who signed in, once and within its time',
  async () => {
    const ann = await addPerson(place(), 'ann');
    const { withKey } = place();
    const { invoke } = withKey('none');
    const codeOf = async (): Promise<string> => signIn((await invoke('maps.identity.authorize', {})).authorization_url, ann.key);
    const code = await codeOf();
    const tokens = await invoke('maps.identity.token', { code });
    expect((await withKey(tokens.access_token).invoke('maps.user.get', {})).sub).toBe(ann.id);
    const late = await codeOf();
    expect((await refusalOf(later(codeSeconds, () => invoke('maps.identity.token', { code: late })))).status).toBe(400);
    await invoke('maps.identity.token', { code: late });
    // Two who have one code: neither goes on with it.
    expect((await refusalOf(invoke('maps.identity.token', { code }))).status).toBe(400);
    expect((await refusalOf(withKey(tokens.access_token).invoke('maps.user.get', {}))).status).toBe(401);
    expect((await refusalOf(invoke('maps.identity.refresh', { refresh_token: tokens.refresh_token }))).status).toBe(401);
  },
);

test('a code that was asked for with a challenge is spent by its verifier alone', async () => {
  const { service, withKey } = place();
  const { invoke } = withKey('none');
  const [mine, other] = [pkce(), pkce()];
  const { authorization_url } = await invoke('maps.identity.authorize', { code_challenge: mine.challenge, code_challenge_method: 'S256' });
  const code = await signIn(authorization_url, service.adminKeys.maps);
  expect((await refusalOf(invoke('maps.identity.token', { code }))).status).toBe(422);
  expect((await refusalOf(invoke('maps.identity.token', { code, code_verifier: other.verifier }))).status).toBe(422);
  const { access_token } = await invoke('maps.identity.token', { code, code_verifier: mine.verifier });
  await withKey(access_token).invoke('maps.user.get', {});
  const { status } = await fetch(`${service.url}/v1/user/authorize?code_challenge=${mine.challenge}&code_challenge_method=plain`);
  expect(status).toBe(422);
});

test('nobody signs in with a key that may do less than its user, or with none', async () => {
  const { organization, service, withKey } = place();
  const { authorization_url } = await withKey('none').invoke('maps.identity.authorize', {});
  const statusOf = async (key: string): Promise<number> => (await sendForm(authorization_url, key)).status;
  const limited = await makeKey(place(), { key_name: 'limited', key_target_id: organization.organization_id });
  const lesser = await makeKey(place(), { key_name: 'lesser', key_role: 'MEMBER' });
  const whole = await makeKey(place(), { key_name: 'whole', key_scope: 'USER' });
  expect([await statusOf('nk-unknown'), await statusOf(limited.key), await statusOf(lesser.key), await statusOf(whole.key)]).toEqual([
    401, 403, 403, 200,
  ]);
  const form = new URLSearchParams({ key: service.adminKeys.maps });
  const foreign = await fetch(authorization_url, { method: 'POST', body: form, headers: { 'sec-fetch-site': 'cross-site' } });
  expect(foreign.status).toBe(403);
});

proves(
  ['maps:GET /v1/user/token/refresh/{refresh_token}', 'maps:GET /v1/user/token/refresh/{refresh_token}#200', 'maps:authentication/8'],
  'a refresh token is exchanged for access tokens until its own time is over, and stands in no log',
  async () => {
    const { api, withKey } = place();
    const { refresh_token, access_token } = await session();
    const { invoke } = withKey('none');
    const { sub } = await withKey(access_token).invoke('maps.user.get', {});
    // More than once: clients keep it.
    for (const seconds of [0, refreshSeconds - 60])
      await later(seconds, async () => {
        const again = await invoke('maps.identity.refresh', { refresh_token });
        expect((await withKey(again.access_token).invoke('maps.user.get', {})).sub).toBe(sub);
      });
    expect((await refusalOf(later(refreshSeconds, () => invoke('maps.identity.refresh', { refresh_token })))).status).toBe(401);
    expect((await refusalOf(invoke('maps.identity.refresh', { refresh_token: `${refresh_token}x` }))).status).toBe(401);
    const log = JSON.stringify((await api.get('/__control/requests')).body) + JSON.stringify((await api.get('/__control/journal')).body);
    expect(log).toContain('/v1/user/token/refresh/{refresh_token}');
    expect(log).not.toContain(refresh_token);
    expect(log).not.toContain(access_token);
  },
);

proves(['maps:authentication/1'], 'a request carries an API key or an access token, which is a JWT that ends at its `exp`', async () => {
  const { calls, withKey } = place();
  const { access_token, expires_in } = await session();
  const [header, body, signature] = access_token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  const claims = JSON.parse(body!) as { exp: number; iat: number };
  expect([JSON.parse(header!), claims.exp - claims.iat, expires_in]).toEqual([{ alg: 'HS256', typ: 'JWT' }, accessSeconds, accessSeconds]);
  expect(signature).toBeDefined();
  const { invoke } = withKey(access_token);
  expect(await invoke('maps.user.get', {})).toEqual(await calls.invoke('maps.user.get', {}));
  await later(accessSeconds - 60, () => invoke('maps.user.get', {}));
  expect((await refusalOf(later(accessSeconds + 1, () => invoke('maps.user.get', {})))).status).toBe(401);
  const forged = (part: number, value: object): string =>
    access_token
      .split('.')
      .map((each, at) => (at === part ? Buffer.from(JSON.stringify(value)).toString('base64url') : each))
      .join('.');
  for (const token of [forged(1, { ...claims, exp: claims.exp + 1 }), forged(0, { alg: 'none', typ: 'JWT' }), `${access_token}.`])
    expect((await refusalOf(withKey(token).invoke('maps.user.get', {}))).status).toBe(401);
});

proves(
  ['maps:GET /v1/user/logout', 'maps:GET /v1/user/logout#200'],
  'who logs out is signed out with access and refresh token, in one session alone',
  async () => {
    const { calls, withKey } = place();
    const [one, other] = [await session(), await session()];
    await withKey(one.access_token).invoke('maps.identity.logout', {});
    expect((await refusalOf(withKey(one.access_token).invoke('maps.user.get', {}))).status).toBe(401);
    expect((await refusalOf(withKey('none').invoke('maps.identity.refresh', { refresh_token: one.refresh_token }))).status).toBe(401);
    await withKey(other.access_token).invoke('maps.user.get', {});
    // A key is of no session.
    await calls.invoke('maps.identity.logout', {});
    await calls.invoke('maps.user.get', {});
    await withKey(other.access_token).invoke('maps.user.get', {});
  },
);

test('a user who was disabled is signed out, and stays so when enabled', async () => {
  const { service, withKey } = place();
  const bob = await addPerson(place(), 'bob');
  const { invoke } = withKey('none');
  const { authorization_url } = await invoke('maps.identity.authorize', {});
  const { access_token, refresh_token } = await invoke('maps.identity.token', { code: await signIn(authorization_url, bob.key) });
  const unspent = await signIn(authorization_url, bob.key);
  await withKey(access_token).invoke('maps.user.get', {});
  const administrator = withKey(service.adminKeys.instance);
  const left = () =>
    statusesOf([
      withKey(access_token).invoke('maps.user.get', {}),
      withKey(bob.key).invoke('maps.user.get', {}),
      invoke('maps.identity.refresh', { refresh_token }),
    ]);
  // Keys that this API does not list are none that it counts.
  expect((await administrator.invoke('instance.users.disable', { id: bob.id, reason: 'left' })).revokedApiKeys).toBe(0);
  expect(await left()).toEqual([401, 401, 401]);
  await administrator.invoke('instance.users.enable', { id: bob.id, reason: 'back' });
  expect(await left()).toEqual([401, 401, 401]);
  expect((await refusalOf(invoke('maps.identity.token', { code: unspent }))).status).toBe(400);
});
