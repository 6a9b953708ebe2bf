import { expect } from 'vitest';
import type { InputOf } from '../../client/invoke.ts';
import { createApi } from '../service/world.ts';
import { addPerson, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

type Asked = Omit<InputOf<'maps.organizations.get'>, 'organization_id_or_slug'>;

/** An organization with datasets of these names, and those of them that a read of it shows. */
async function createOrganization(names: readonly string[]) {
  const { invoke } = place().calls;
  const { organization_id } = await invoke('maps.organizations.create', { nickname: 'Paged' });
  for (const project_name of names) await invoke('maps.projects.create', { organization_id, project_name });
  const shown = async (asked: Asked = {}): Promise<(string | null | undefined)[]> =>
    (await invoke('maps.organizations.get', { organization_id_or_slug: organization_id, ...asked })).projects.map(
      ({ project_name }) => project_name,
    );
  return { organization_id, shown };
}

proves(
  ['maps:GET /v1/organization/{organization_id_or_slug}#offset_number', 'maps:GET /v1/organization/{organization_id_or_slug}#limit'],
  'the datasets of an organization are read in parts: so many from an integer on, all of them where the number is null',
  async () => {
    const { organization_id, shown } = await createOrganization(['a', 'b', 'c', 'd']);
    expect(await shown({ offset_number: 1, limit: 2 })).toEqual(['b', 'c']);
    expect(await shown({ offset_number: 3, limit: 2 })).toEqual(['d']);
    expect(await shown({ offset_number: 4 })).toEqual([]);
    expect(await shown({ offset_number: 2, limit: null })).toEqual(['c', 'd']);
    for (const [field, value] of [
      ['offset_number', 'first'],
      ['offset_number', '1.5'],
      ['limit', 'all'],
      ['limit', '1.5'],
    ])
      expect(await place().api.get(`/v1/organization/${organization_id}?${field}=${value}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['query', field] }] },
      });
  },
);

proves(
  ['maps:GET /v1/organization/{organization_id_or_slug}#offset_number-default'],
  'the datasets of an organization are read from the first on where no offset is said',
  async () => {
    const { organization_id, shown } = await createOrganization(['a', 'b']);
    expect(await shown()).toEqual(['a', 'b']);
    expect(await shown({ limit: 1 })).toEqual(['a']);
    const { body } = await place().api.get(`/v1/organization/${organization_id}`);
    expect(body.projects.map(({ project_name }: { project_name: string }) => project_name)).toEqual(['a', 'b']);
  },
);

proves(['maps:GET /v1/organization/{organization_id_or_slug}.1'], 'members see more of an organization than others do', async () => {
  const { calls } = place();
  const { organization_id } = await createOrganization(['private']);
  await calls.invoke('maps.projects.create', { organization_id, project_name: 'public', is_public: true });
  const ann = await addPerson(place(), 'ann');
  const seen = () => ann.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
  const stranger = await seen();
  expect(stranger.projects.map(({ project_name }) => project_name)).toEqual(['public']);
  expect([stranger.members, stranger.plan_type]).toEqual([undefined, undefined]);
  await calls.invoke('maps.members.add', { organization_id, user_id: ann.id, access_role: 'MEMBER' });
  const member = await seen();
  expect(member.projects.map(({ project_name }) => project_name)).toEqual(['private', 'public']);
  expect(member.members?.map(({ user_id }) => user_id)).toContain(ann.id);
  expect([member.plan_type, member.access_role]).toEqual(['free', 'MEMBER']);
});

proves(
  ['maps:GET /v1/organization/search/{slug}.1'],
  'the id of an organization is found by its slug, by who sees nothing else of it too',
  async () => {
    const { service, calls } = place();
    const bob = await addPerson(place(), 'bob');
    const { organization_id } = await bob.invoke('maps.organizations.create', { nickname: 'Closed Circle' });
    await bob.invoke('maps.projects.create', { organization_id, project_name: 'secret' });
    const { projects, members } = await calls.invoke('maps.organizations.get', { organization_id_or_slug: 'closed-circle' });
    expect([projects, members]).toEqual([[], undefined]);
    expect((await calls.invoke('maps.organizations.search', { slug: 'closed-circle' })).organization_id).toBe(organization_id);
    const nobody = createApi(fetch, service.url, null);
    expect((await nobody.get('/v1/organization/search/closed-circle')).body.organization_id).toBe(organization_id);
  },
);

proves(['maps:POST /v1/organization/create.1'], 'who creates an organization owns it, alone, and it is on the free tier', async () => {
  const cleo = await addPerson(place(), 'cleo');
  const { organization_id } = await cleo.invoke('maps.organizations.create', { nickname: 'Orchard' });
  const { plan_type, access_role, members } = await cleo.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
  expect({ plan_type, access_role }).toEqual({ plan_type: 'free', access_role: 'OWNER' });
  expect(members).toMatchObject([{ user_id: cleo.id, access_role: 'OWNER' }]);
  expect(members).toHaveLength(1);
  const { organizations } = await cleo.invoke('maps.user.get', {});
  expect(organizations.find((each) => each.organization_id === organization_id)).toMatchObject({
    nickname: 'Orchard',
    access_role: 'OWNER',
    plan_type: 'free',
  });
});
