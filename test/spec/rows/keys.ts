import { expect } from 'vitest';
import { nowhere, organizationOf } from './made.ts';
import type { Rows } from './row.ts';

export const keys = {
  'maps.keys.create': {
    readBack: 'maps.keys.list',
    async run(at) {
      const organization_id = await organizationOf(at);
      const { key } = await at.invoke('maps.keys.create', { organization_id, key_name: 'reader' });
      const { keys: listed } = await at.invoke('maps.keys.list', { organization_id });
      expect(listed.map(({ key_name, suffix }) => [key_name, key.endsWith(suffix!)])).toEqual([['reader', true]]);
      expect(await at.withKey(key)('maps.keys.list', { organization_id })).toEqual({ keys: listed });
      expect(await at.refused(at.invoke('maps.keys.create', { organization_id, key_name: 'reader' }))).toBe(409);
    },
  },
  'maps.keys.list': {
    readBack: 'maps.user.get',
    async run(at) {
      const organization_id = await organizationOf(at);
      const { key } = await at.invoke('maps.keys.create', { organization_id, key_name: 'first' });
      await at.invoke('maps.keys.create', { organization_id, key_name: 'second' });
      const { keys: listed } = await at.invoke('maps.keys.list', { organization_id });
      const { sub } = await at.withKey(key)('maps.user.get', {});
      expect(listed.map(({ key_name, user_id }) => [key_name, user_id])).toEqual([
        ['first', sub],
        ['second', sub],
      ]);
      expect(await at.refused(at.invoke('maps.keys.list', { organization_id: nowhere }))).toBe(403);
    },
  },
  'maps.keys.remove': {
    readBack: 'maps.keys.list',
    async run(at) {
      const organization_id = await organizationOf(at);
      const { key } = await at.invoke('maps.keys.create', { organization_id, key_name: 'lost' });
      await at.invoke('maps.keys.create', { organization_id, key_name: 'kept' });
      await at.invoke('maps.keys.remove', { organization_id, key_name: 'lost' });
      const { keys: left } = await at.invoke('maps.keys.list', { organization_id });
      expect(left.map(({ key_name }) => key_name)).toEqual(['kept']);
      expect(await at.refused(at.withKey(key)('maps.user.get', {}))).toBe(401);
      expect(await at.refused(at.invoke('maps.keys.remove', { organization_id, key_name: 'lost' }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
