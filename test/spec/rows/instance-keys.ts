import { expect } from 'vitest';
import { nowhere } from './made.ts';
import type { Rows } from './row.ts';

export const instanceKeys = {
  'instance.apiKeys.list': {
    readBack: 'instance.users.get',
    async run(at) {
      const { id, email, token } = await at.user({ service: 'instance', scopes: ['developer:files'] });
      const { data, totalCount } = await at.invoke('instance.apiKeys.list', { userId: id });
      expect(data).toMatchObject([{ keyPrefix: token.slice(0, 9), scopes: ['developer:files'], revokedAt: null, user: { id, email } }]);
      expect(await at.invoke('instance.users.get', { id })).toMatchObject({ apiKeyCount: totalCount });
      expect(await at.refused(at.withKey(token)('instance.apiKeys.list', {}))).toBe(403);
    },
  },
  'instance.apiKeys.revoke': {
    readBack: 'instance.apiKeys.list',
    async run(at) {
      const { id: userId, token } = await at.user({ service: 'instance', scopes: ['developer:files'] });
      const [key] = (await at.invoke('instance.apiKeys.list', { userId })).data;
      const { apiKey } = await at.invoke('instance.apiKeys.revoke', { id: key!.id, reason: 'left behind' });
      const { data } = await at.invoke('instance.apiKeys.list', { userId, includeRevoked: true });
      expect(data).toMatchObject([{ id: key!.id, revokedAt: apiKey.revokedAt }]);
      expect(await at.refused(at.withKey(token)('instance.files.search', { query: 'x' }))).toBe(401);
      expect(await at.refused(at.invoke('instance.apiKeys.revoke', { id: nowhere }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
