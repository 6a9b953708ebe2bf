import { expect } from 'vitest';
import { pkce, signIn } from '../../support/sign-in.ts';
import type { Rows, Shown } from './row.ts';

/** A session of a new user. */
async function session(at: Shown) {
  const { id, token } = await at.user();
  const { authorization_url } = await at.invoke('maps.identity.authorize', {});
  return { id, ...(await at.invoke('maps.identity.token', { code: await signIn(authorization_url, token) })) };
}

export const identity = {
  'maps.identity.authorize': {
    readBack: 'maps.identity.token',
    async run(at) {
      const { id, token } = await at.user();
      const { verifier, challenge } = pkce();
      const { authorization_url } = await at.withKey('no key at all')('maps.identity.authorize', { code_challenge: challenge });
      const code = await signIn(authorization_url, token);
      const { access_token } = await at.invoke('maps.identity.token', { code, code_verifier: verifier });
      expect((await at.withKey(access_token)('maps.user.get', {})).sub).toBe(id);
      expect(await at.refused(at.invoke('maps.identity.authorize', { redirect_uri: 'https://example.com/steal' }))).toBe(422);
    },
  },
  'maps.identity.token': {
    readBack: 'maps.user.get',
    async run(at) {
      const { id, access_token } = await session(at);
      expect((await at.withKey(access_token)('maps.user.get', {})).sub).toBe(id);
      expect(await at.refused(at.invoke('maps.identity.token', { code: 'nobody has issued it' }))).toBe(400);
    },
  },
  'maps.identity.refresh': {
    readBack: 'maps.user.get',
    async run(at) {
      const { id, refresh_token } = await session(at);
      const { access_token } = await at.invoke('maps.identity.refresh', { refresh_token });
      expect((await at.withKey(access_token)('maps.user.get', {})).sub).toBe(id);
      expect(await at.refused(at.invoke('maps.identity.refresh', { refresh_token: 'nobody has issued it' }))).toBe(401);
    },
  },
  'maps.identity.logout': {
    readBack: 'maps.user.get',
    async run(at) {
      const [left, stays] = [await session(at), await session(at)];
      await at.withKey(left.access_token)('maps.identity.logout', {});
      expect(await at.refused(at.withKey(left.access_token)('maps.user.get', {}))).toBe(401);
      expect(await at.refused(at.invoke('maps.identity.refresh', { refresh_token: left.refresh_token }))).toBe(401);
      expect((await at.withKey(stays.access_token)('maps.user.get', {})).sub).toBe(stays.id);
      expect(await at.refused(at.withKey(left.access_token)('maps.identity.logout', {}))).toBe(401);
    },
  },
} satisfies Partial<Rows>;
