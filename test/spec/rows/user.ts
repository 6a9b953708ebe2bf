import { expect } from 'vitest';
import { organizationOf } from './made.ts';
import type { Rows } from './row.ts';

/** The service, and whose key it is. */
export const user = {
  'maps.health.get': {
    readBack: { none: 'it says nothing but its status' },
    refusal: { none: 'it takes no input and no key' },
    async run({ withKey }) {
      expect(await withKey('nk-unknown')('maps.health.get', {})).toBeDefined();
    },
  },
  'maps.user.get': {
    readBack: 'maps.organizations.get',
    async run(at) {
      const organization_id = await organizationOf(at);
      const { organizations } = await at.invoke('maps.user.get', {});
      const seen = await at.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
      expect(organizations.find((each) => each.organization_id === organization_id)).toMatchObject({
        nickname: 'Orchard',
        slug: seen.slug,
        plan_type: seen.plan_type,
        access_role: 'OWNER',
      });
      expect(await at.refused(at.withKey('nk-unknown')('maps.user.get', {}))).toBe(401);
    },
  },
  'maps.user.profile': {
    readBack: 'maps.user.get',
    async run(at) {
      const { token, id, email } = await at.user();
      const invoke = at.withKey(token);
      const profile = await invoke('maps.user.profile', {});
      expect(profile).toMatchObject({ sub: id, email });
      expect(await invoke('maps.user.get', {})).toMatchObject(profile);
      expect(await at.refused(at.withKey('nk-unknown')('maps.user.profile', {}))).toBe(401);
    },
  },
} satisfies Partial<Rows>;
