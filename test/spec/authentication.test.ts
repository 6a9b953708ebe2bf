import { expect } from 'vitest';
import { createApi } from '../service/world.ts';
import { makeKey, refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(
  ['maps:authentication/2'],
  'a key that the operation has made is taken until it is deleted, and one that it has not made is refused',
  async () => {
    const { calls, organization, withKey } = place();
    const { organization_id } = organization;
    const { key, invoke } = await makeKey(place(), { key_name: 'doorman' });
    await invoke('maps.projects.list', {});
    const invented = key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect((await refusalOf(withKey(invented).invoke('maps.projects.list', {}))).status).toBe(401);
    await calls.invoke('maps.keys.remove', { organization_id, key_name: 'doorman' });
    expect((await refusalOf(invoke('maps.projects.list', {}))).status).toBe(401);
  },
);

const scopes = [
  { key_scope: 'ORGANIZATION', target: ({ organization_id }: Targets) => organization_id, lists: true },
  { key_scope: 'DATASET', target: ({ project_id }: Targets) => project_id, lists: false },
  { key_scope: 'USER', target: () => null, lists: true },
] as const;

type Targets = { organization_id: string; project_id: string };

proves(
  ['maps:authentication/3', 'maps:api-key-creation-request/key_scope'],
  'a key has one of three scopes, an organization, a dataset or a user, or is refused',
  async () => {
    const { api, calls, organization } = place();
    const { organization_id } = organization;
    const { project_id } = await calls.invoke('maps.projects.create', { organization_id, project_name: 'scoped' });
    for (const { key_scope, target, lists } of scopes) {
      const asked = { key_name: key_scope, key_scope, key_target_id: target({ organization_id, project_id }) };
      const { invoke } = await makeKey(place(), asked);
      expect((await invoke('maps.projects.get', { project_id })).id, key_scope).toBe(project_id);
      // What is of more than one dataset shows that the scopes are not one and the same.
      const listing = invoke('maps.projects.list', {});
      if (lists) await listing;
      else expect((await refusalOf(listing)).status).toBe(403);
    }
    for (const key_scope of ['PROJECT', 'organization', '', 7])
      expect(await api.post(`/v1/user/authorization/keys/${organization_id}/create`, { key_name: 'other', key_scope })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'key_scope'] }] },
      });
    await makeKey(place(), { key_name: 'none said', key_scope: null });
  },
);

proves(
  ['maps:authentication/9'],
  'the health of the service and the id of an organization are read without a key, or with one that nobody knows',
  async () => {
    const { service, organization } = place();
    const open = ['/v1/health/', `/v1/organization/search/${organization.slug}`];
    for (const key of [null, 'nk-unknown']) {
      const { get } = createApi(fetch, service.url, key);
      for (const path of open) expect([path, (await get(path)).status]).toEqual([path, 200]);
      expect((await get('/v1/user/')).status).toBe(401);
    }
  },
);
