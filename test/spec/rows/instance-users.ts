import { expect } from 'vitest';
import { nowhere } from './made.ts';
import type { Rows, Shown } from './row.ts';

const person = (at: Shown) => at.user({ service: 'instance', scopes: ['developer:files'] });

export const instanceUsers = {
  'instance.users.list': {
    readBack: 'instance.users.get',
    async run(at) {
      const { id, email, token } = await person(at);
      const { data } = await at.invoke('instance.users.list', { email });
      expect(data).toMatchObject([{ id, email, disabled: false }]);
      expect(await at.invoke('instance.users.get', { id })).toMatchObject(data[0]!);
      expect(await at.refused(at.withKey(token)('instance.users.list', {}))).toBe(403);
    },
  },
  'instance.users.get': {
    readBack: 'instance.users.list',
    async run(at) {
      const { id, email } = await person(at);
      const found = await at.invoke('instance.users.get', { id });
      expect(found).toMatchObject({ id, email, apiKeyCount: 1, disabled: false, disabledAt: null });
      expect(found).toMatchObject((await at.invoke('instance.users.list', { email })).data[0]!);
      expect(await at.refused(at.invoke('instance.users.get', { id: nowhere }))).toBe(404);
    },
  },
  'instance.users.disable': {
    readBack: 'instance.users.get',
    async run(at) {
      const { id, token } = await person(at);
      const { revokedApiKeys, user } = await at.invoke('instance.users.disable', { id, reason: 'left' });
      expect([revokedApiKeys, user.disabled]).toEqual([1, true]);
      expect(await at.invoke('instance.users.get', { id })).toMatchObject({ disabled: true, apiKeyCount: 0, disabledAt: user.disabledAt });
      expect(await at.refused(at.withKey(token)('instance.files.search', { query: 'x' }))).toBe(401);
      expect(await at.refused(at.invoke('instance.users.disable', { id: nowhere, reason: 'left' }))).toBe(404);
    },
  },
  'instance.users.enable': {
    readBack: 'instance.users.get',
    async run(at) {
      const { id } = await person(at);
      await at.invoke('instance.users.disable', { id, reason: 'left' });
      await at.invoke('instance.users.enable', { id, reason: 'back' });
      expect(await at.invoke('instance.users.get', { id })).toMatchObject({ disabled: false, disabledAt: null, apiKeyCount: 0 });
      expect(await at.refused(at.invoke('instance.users.enable', { id: nowhere, reason: 'back' }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
