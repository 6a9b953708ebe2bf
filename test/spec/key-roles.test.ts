import { expect } from 'vitest';
import { isAllowed, makeKey, usePlace, type Holder } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(['maps:api-key-creation-request/key_role'], 'a key may be given a role, and does no more than that role', async () => {
  const { api, organization } = place();
  const { organization_id } = organization;
  const renames = ({ invoke }: Holder): Promise<boolean> =>
    isAllowed(invoke('maps.organizations.update', { organization_id, new_organization_website: 'https://example.com' }));
  expect(await renames(await makeKey(place(), { key_name: 'no role' }))).toBe(true);
  expect(await renames(await makeKey(place(), { key_name: 'null as role', key_role: null }))).toBe(true);
  expect(await renames(await makeKey(place(), { key_name: 'admin', key_role: 'ADMIN' }))).toBe(true);
  expect(await renames(await makeKey(place(), { key_name: 'member', key_role: 'MEMBER' }))).toBe(false);
  expect(await api.post(`/v1/user/authorization/keys/${organization_id}/create`, { key_name: 'number', key_role: 7 })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'key_role'] }] },
  });
});

proves(
  ['maps:api-key-creation-request/key_role.1', 'maps:POST /v1/user/authorization/keys/{organization_id}/create.1'],
  'a key is made by name, role, scope and target, and its role is one of its scope and of no other',
  async () => {
    const { api, calls, organization } = place();
    const { organization_id } = organization;
    const { project_id } = await calls.invoke('maps.projects.create', { organization_id, project_name: 'roles' });
    const describes = ({ invoke }: Holder): Promise<boolean> =>
      isAllowed(invoke('maps.projects.update', { project_id, id: project_id, description: 'seen' }));
    const ofDataset = { key_scope: 'DATASET', key_target_id: project_id } as const;
    expect(await describes(await makeKey(place(), { key_name: 'viewer', key_role: 'VIEWER', ...ofDataset }))).toBe(false);
    expect(await describes(await makeKey(place(), { key_name: 'keeper', key_role: 'ADMIN', ...ofDataset }))).toBe(true);
    const elsewhere = [
      { key_role: 'OWNER', ...ofDataset },
      { key_role: 'VIEWER', key_scope: 'ORGANIZATION', key_target_id: organization_id },
      { key_role: 'ADMIN', key_scope: 'USER' },
    ];
    for (const asked of elsewhere)
      expect(await api.post(`/v1/user/authorization/keys/${organization_id}/create`, { key_name: 'elsewhere', ...asked })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'key_role'] }] },
      });
  },
);

proves(['maps:GET /v1/user/.1'], 'the current user is the same by every key, with what the key that asks permits of it', async () => {
  const { calls, organization } = place();
  const { organization_id } = organization;
  const { project_id } = await calls.invoke('maps.projects.create', { organization_id, project_name: 'whose' });
  const seen = async ({ invoke }: Pick<Holder, 'invoke'>): Promise<[string, string, ...boolean[]]> => {
    const { sub, organizations } = await invoke('maps.user.get', {});
    const { access_role, permissions } = organizations.find((each) => each.organization_id === organization_id)! as unknown as {
      access_role: string;
      permissions: Record<string, boolean>;
    };
    return [sub, access_role, ...['billing:write', 'members:write', 'datasets:create'].map((name) => permissions[`organization:${name}`]!)];
  };
  const [sub, ...whole] = await seen(calls);
  expect(whole).toEqual(['OWNER', true, true, true]);
  expect(await seen(await makeKey(place(), { key_name: 'as admin', key_role: 'ADMIN' }))).toEqual([sub, 'OWNER', false, true, true]);
  expect(await seen(await makeKey(place(), { key_name: 'as member', key_role: 'MEMBER' }))).toEqual([sub, 'OWNER', false, false, true]);
  for (const key_role of ['VIEWER', 'ADMIN']) {
    const key = await makeKey(place(), {
      key_name: `of a dataset, ${key_role}`,
      key_role,
      key_scope: 'DATASET',
      key_target_id: project_id,
    });
    expect(await seen(key)).toEqual([sub, 'OWNER', false, false, false]);
  }
});
