import { expect } from 'vitest';
import { organizationOf } from './made.ts';
import type { Rows, Shown } from './row.ts';

/** An organization with another member, and their roles as the organization shows them. */
async function team(at: Shown) {
  const organization_id = await organizationOf(at);
  const ann = await at.user();
  await at.invoke('maps.members.add', { organization_id, access_role: 'MEMBER', user_id: ann.id });
  const roles = async () => {
    const { members } = await at.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
    return members?.map(({ access_role }) => access_role);
  };
  return { organization_id, ann, roles };
}

export const members = {
  'maps.members.add': {
    readBack: 'maps.organizations.get',
    async run(at) {
      const { organization_id, ann, roles } = await team(at);
      expect(await roles()).toEqual(['OWNER', 'MEMBER']);
      const { email } = await at.user();
      await at.invoke('maps.members.add', { organization_id, access_role: 'ADMIN', email });
      expect(await roles()).toEqual(['OWNER', 'MEMBER', 'ADMIN']);
      const member = at.withKey(ann.token);
      expect(await at.refused(member('maps.members.add', { organization_id, access_role: 'OWNER', user_id: ann.id }))).toBe(403);
      expect(await roles()).toEqual(['OWNER', 'MEMBER', 'ADMIN']);
    },
  },
  'maps.members.update': {
    readBack: 'maps.organizations.get',
    async run(at) {
      const { organization_id, ann, roles } = await team(at);
      await at.invoke('maps.members.update', { organization_id, access_role: 'ADMIN', user_id: ann.id });
      expect(await roles()).toEqual(['OWNER', 'ADMIN']);
      const stranger = await at.user();
      expect(await at.refused(at.invoke('maps.members.update', { organization_id, access_role: 'ADMIN', user_id: stranger.id }))).toBe(404);
      expect(await roles()).toEqual(['OWNER', 'ADMIN']);
    },
  },
  'maps.members.remove': {
    readBack: 'maps.organizations.get',
    async run(at) {
      const { organization_id, ann, roles } = await team(at);
      await at.invoke('maps.members.remove', { organization_id, user_id: ann.id });
      expect(await roles()).toEqual(['OWNER']);
      expect(await at.refused(at.invoke('maps.members.remove', { organization_id, user_id: ann.id }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
