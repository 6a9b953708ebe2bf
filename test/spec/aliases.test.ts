import { expect } from 'vitest';
import { createProject } from '../service/world.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

const organizationOf = async (nickname: string): Promise<string> =>
  (await place().calls.invoke('maps.organizations.create', { nickname })).organization_id;

proves(['maps:versioning/4'], 'rename and update of an organization are one operation with two addresses', async () => {
  const { api, calls } = place();
  const answers: unknown[] = [];
  for (const name of ['rename', 'update']) {
    const organization_id = await organizationOf('Orchard');
    const changes = { new_organization_nickname: 'Vineyard', new_organization_website: 'https://example.com' };
    const done = await api.post(`/v1/organization/${name}`, { organization_id, ...changes });
    const refused = await api.post(`/v1/organization/${name}`, { organization_id, new_organization_nickname: 5 });
    const { nickname, website } = await calls.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
    answers.push([nickname, website, done.status, done.body, refused.status, refused.body]);
  }
  expect(answers[0]).toMatchObject(['Vineyard', 'https://example.com', 200, { result: 'ok' }, 422, { detail: [{ type: 'invalid_type' }] }]);
  expect(answers[1]).toEqual(answers[0]);
});

proves(['maps:versioning/3'], 'each deprecated operation does what the one in its place does', async () => {
  const { api, calls, organization } = place();
  const organization_id = await organizationOf('Orchard');
  const { id: user_id } = (await api.post('/__control/users', { name: 'ann', email: 'ann@example.com' })).body as { id: string };
  const roles = async () =>
    (await calls.invoke('maps.organizations.get', { organization_id_or_slug: organization_id })).members!.map((each) => each.access_role);
  await calls.invoke('maps.members.add', { organization_id, user_id, access_role: 'MEMBER' });
  expect((await api.post('/v1/organization/members/modify', { organization_id, user_id, access_role: 'ADMIN' })).status).toBe(200);
  expect(await roles()).toEqual(['OWNER', 'ADMIN']);
  expect((await api.post('/v1/organization/members/remove', { organization_id, user_id })).status).toBe(200);
  expect(await roles()).toEqual(['OWNER']);

  const { project_id } = await createProject({ api, organization }, 'ships');
  const { body: listed } = await api.get('/v1/project/sidebar/list');
  expect(listed).toEqual(await calls.invoke('maps.projects.list', {}));
  expect(listed.projects).toMatchObject([{ id: project_id }]);
  expect((await api.post(`/v1/project/update/${project_id}`, { id: project_id, description: 'afloat' })).status).toBe(200);
  expect(await calls.invoke('maps.projects.get', { project_id })).toMatchObject({ description: 'afloat' });
  expect((await api.post('/v1/project/update_indices', { project_id })).status).toBe(200);
});
