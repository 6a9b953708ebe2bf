import { expect } from 'vitest';
import { datasetOf, organizationOf, viewerOf } from './made.ts';
import type { Rows } from './row.ts';

export const organizations = {
  'maps.organizations.create': {
    readBack: 'maps.organizations.get',
    async run(at) {
      const given = { nickname: 'Harbour', description: 'ships and quays', organization_type: 'company' } as const;
      const { organization_id } = await at.invoke('maps.organizations.create', given);
      const seen = await at.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
      expect(seen).toMatchObject({ ...given, id: organization_id, access_role: 'OWNER', plan_type: 'free', projects: [] });
      const viewer = at.withKey(await viewerOf(at, await datasetOf(at)));
      expect(await at.refused(viewer('maps.organizations.create', given))).toBe(403);
    },
  },
  'maps.organizations.get': {
    readBack: 'maps.organizations.search',
    async run(at) {
      const organization_id = await organizationOf(at);
      const seen = await at.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
      expect(seen).toMatchObject({ id: organization_id, nickname: 'Orchard' });
      expect(await at.invoke('maps.organizations.search', { slug: seen.slug! })).toEqual({ organization_id });
      expect(await at.invoke('maps.organizations.get', { organization_id_or_slug: seen.slug! })).toEqual(seen);
      expect(await at.refused(at.invoke('maps.organizations.get', { organization_id_or_slug: 'no-such-slug' }))).toBe(404);
    },
  },
  'maps.organizations.search': {
    readBack: 'maps.organizations.get',
    async run({ withKey, refused, invoke, organization }) {
      const search = (slug: string) => withKey('nk-unknown')('maps.organizations.search', { slug });
      const { organization_id } = await search(organization.slug);
      const seen = await invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
      expect([seen.id, seen.slug]).toEqual([organization_id, organization.slug]);
      expect(await refused(search('no-such-slug'))).toBe(404);
    },
  },
  'maps.organizations.update': {
    readBack: 'maps.organizations.get',
    async run(at) {
      const organization_id = await organizationOf(at);
      await at.invoke('maps.organizations.update', { organization_id, new_organization_nickname: 'Vineyard' });
      expect(await at.invoke('maps.organizations.get', { organization_id_or_slug: organization_id })).toMatchObject({
        nickname: 'Vineyard',
      });
      const taken = { organization_id, new_organization_nickname: 'Field', new_organization_slug: at.organization.slug };
      expect(await at.refused(at.invoke('maps.organizations.update', taken))).toBe(409);
      expect(await at.invoke('maps.organizations.get', { organization_id_or_slug: organization_id })).toMatchObject({
        nickname: 'Vineyard',
      });
    },
  },
} satisfies Partial<Rows>;
