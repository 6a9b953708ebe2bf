import { expect } from 'vitest';
import { createApi } from '../service/world.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(['maps:authentication/9'], 'health, and the id of an organization by its slug, are there for who has no key at all', async () => {
  const { service, organization, calls } = place();
  const nobody = createApi(fetch, service.url, null);
  expect((await nobody.get('/v1/health/')).status).toBe(200);
  const { status, body } = await nobody.get(`/v1/organization/search/${organization.slug}`);
  expect([status, body]).toEqual([200, { organization_id: organization.organization_id }]);
  expect(await calls.invoke('maps.organizations.search', { slug: organization.slug })).toEqual(body);
  expect((await nobody.get('/v1/user/')).status).toBe(401);
});
