import { expect } from 'vitest';
import { addPerson, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(['maps:GET /v1/project/.1'], 'a list of projects is that of the user whose key it is', async () => {
  const { calls } = place();
  const [ann, bob] = [await addPerson(place(), 'ann'), await addPerson(place(), 'bob')];
  const create = async ({ invoke }: typeof ann, nickname: string): Promise<string> => {
    const { organization_id } = await invoke('maps.organizations.create', { nickname });
    return (await invoke('maps.projects.create', { organization_id, project_name: nickname })).project_id;
  };
  const [anns, bobs] = [await create(ann, 'anns'), await create(bob, 'bobs')];
  const listed = async ({ invoke }: Pick<typeof ann, 'invoke'>): Promise<string[]> =>
    (await invoke('maps.projects.list', {})).projects.map(({ id }) => id);
  expect([await listed(ann), await listed(bob)]).toEqual([[anns], [bobs]]);
  const { project_id: shared } = await calls.invoke('maps.projects.create', {
    organization_id: place().organization.organization_id,
    project_name: 'shared',
  });
  expect([await listed(calls), await listed(ann), await listed(bob)]).toEqual(
    [[shared], [shared, anns], [shared, bobs]].map((ids) => expect.arrayContaining(ids)),
  );
  expect(await listed(ann)).not.toContain(bobs);
  await ann.invoke('maps.projects.remove', { project_id: anns });
  expect(await listed(ann)).toEqual([shared]);
});

proves(['maps:POST /v1/project/create.1'], 'a project is created in the organization that is named, and in no other', async () => {
  const { invoke } = place().calls;
  const { organization_id } = await invoke('maps.organizations.create', { nickname: 'Studio' });
  const { project_id, slug } = await invoke('maps.projects.create', { organization_id, project_name: 'Sketches' });
  expect(await invoke('maps.projects.get', { project_id })).toMatchObject({ owner: organization_id, project_name: 'Sketches', slug });
  const projectsOf = async (organization_id_or_slug: string): Promise<string[]> =>
    (await invoke('maps.organizations.get', { organization_id_or_slug })).projects.map(({ id }) => id);
  expect(await projectsOf(organization_id)).toEqual([project_id]);
  expect(await projectsOf(place().organization.organization_id)).not.toContain(project_id);
});
