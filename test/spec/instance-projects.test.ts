import { expect } from 'vitest';
import { projectRole } from '../../contracts/instance/projects.ts';
import { allOf, memberWith, newProject, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';

const place = useInstance();
const members = async (id: string) => (await place().owner.invoke('instance.projects.members', { id })).data;

proves(
  ['instance:project/1', 'instance:project/1#projectNumber', 'instance:GET /projects/{id}#data'],
  'a project has these fields',
  async () => {
    const { id, name } = await newProject(place().owner, { description: 'of steel', projectNumber: 'B-7' });
    const found = await place().owner.invoke('instance.projects.get', { id });
    expect(Object.keys(found).toSorted()).toEqual(['createdAt', 'description', 'id', 'name', 'projectNumber', 'updatedAt']);
    expect(found).toMatchObject({ id, name, description: 'of steel', projectNumber: 'B-7' });
    expect(new Date(found.createdAt!).toISOString()).toBe(found.createdAt);
  },
);

proves(['instance:project/2', 'instance:project/2#role'], 'a member of a project has these fields', async () => {
  const { id } = await newProject(place().owner);
  const people = await Promise.all(
    (['admin', 'editor', 'viewer'] as const).map(async (role) => ({ ...(await memberWith(place())), role })),
  );
  await place().owner.invoke('instance.projects.setMembers', { id, members: people.map(({ id: user, role }) => ({ user, role })) });
  for (const { id: user, email, role } of people)
    expect((await members(id)).find((each) => each.id === user)).toEqual({ id: user, email, name: expect.any(String), image: null, role });
});

proves(
  ['instance:GET /projects#limit-default', 'instance:GET /projects#limit-max', 'instance:GET /projects#totalCount'],
  'a page of projects has 20 of them, up to 100 where they are asked for, and the number of all',
  async () => {
    const some = await memberWith(place());
    for (let at = 0; at < 21; at++) await newProject(some);
    const { data, totalCount, nextCursor } = await some.invoke('instance.projects.list', {});
    expect([data.length, totalCount, typeof nextCursor]).toEqual([20, 21, 'string']);
    expect((await some.invoke('instance.projects.list', { limit: 100 })).data).toHaveLength(21);
    const { status } = await place().api.send('GET', '/api/v0/projects?limit=101', undefined, { authorization: `Bearer ${some.key}` });
    expect(status).toBe(400);
  },
);

proves(
  ['instance:GET /projects#cursor', 'instance:GET /projects#nextCursor'],
  'pages of projects go on by a cursor that is an id',
  async () => {
    const some = await memberWith(place());
    const made: string[] = [];
    for (let at = 0; at < 5; at++) made.push((await newProject(some)).id);
    const { nextCursor } = await some.invoke('instance.projects.list', { limit: 2 });
    expect(made).toContain(nextCursor);
    const seen = await allOf(some.pages('instance.projects.list', { limit: 2 }));
    expect(seen.map(({ id }) => id)).toEqual(made.toReversed());
  },
);

proves(
  ['instance:projects/1', 'instance:GET /projects#membership', 'instance:GET /projects#membership-default'],
  'administrators see every project where they do not ask for their own',
  async () => {
    const { id } = await newProject(await memberWith(place()));
    const ids = async (membership?: 'mine' | 'any') =>
      (await allOf(place().owner.pages('instance.projects.list', { limit: 100, ...(membership && { membership }) }))).map(
        (each) => each.id,
      );
    expect([(await ids('any')).includes(id), (await ids('mine')).includes(id)]).toEqual([true, false]);
    expect(await ids()).toEqual(await ids('any'));
  },
);

proves(['instance:projects/2'], 'for others any and mine are the same projects', async () => {
  const some = await memberWith(place());
  await newProject(place().owner);
  const { id } = await newProject(some);
  for (const membership of ['any', 'mine'] as const)
    expect((await some.invoke('instance.projects.list', { membership })).data.map((each) => each.id)).toEqual([id]);
});

proves(['instance:projects/3', 'instance:POST /projects/{id}.1'], 'what an update leaves out stays, null clears', async () => {
  const { id, name } = await newProject(place().owner, { description: 'a', projectNumber: 'b' });
  await place().owner.invoke('instance.projects.update', { id, description: null });
  expect(await place().owner.invoke('instance.projects.get', { id })).toMatchObject({ name, description: null, projectNumber: 'b' });
});

proves(
  ['instance:projects/4', 'instance:authentication/7'],
  'a project is changed by its administrators and by those of the organization',
  async () => {
    const [first, editor, admin] = [await memberWith(place()), await memberWith(place()), await memberWith(place())];
    const { id } = await newProject(first);
    await first.invoke('instance.projects.setMembers', {
      id,
      members: [
        { user: editor.id, role: 'editor' },
        { user: admin.id, role: 'admin' },
      ],
    });
    await admin.invoke('instance.projects.update', { id, description: 'by an administrator of it' });
    await place().owner.invoke('instance.projects.update', { id, description: 'by one of the organization' });
    expect((await refusalOf(editor.invoke('instance.projects.update', { id, description: 'x' }))).status).toBe(403);
    expect(await first.invoke('instance.projects.get', { id })).toMatchObject({ description: 'by one of the organization' });
  },
);

proves(
  ['instance:projects/5', 'instance:projects/8'],
  'who is not of the organization is no member, and then nobody of the batch is',
  async () => {
    const { id } = await newProject(place().owner);
    const { id: user } = await memberWith(place());
    const before = await members(id);
    const batch = [
      { user, role: 'viewer' as const },
      { user: '00000000-0000-4000-8000-000000000000', role: 'viewer' as const },
    ];
    expect((await refusalOf(place().owner.invoke('instance.projects.setMembers', { id, members: batch }))).status).toBe(400);
    expect(await members(id)).toEqual(before);
  },
);

proves(['instance:projects/6', 'instance:projects/7'], 'null removes a member, once; a list that was read can be sent back', async () => {
  const { id } = await newProject(place().owner);
  const { id: user } = await memberWith(place());
  const set = (role: 'editor' | null) => place().owner.invoke('instance.projects.setMembers', { id, members: [{ user, role }] });
  const alone = await members(id);
  const both = await set('editor');
  expect(await set('editor')).toEqual(both);
  const unchanged = await place().owner.invoke('instance.projects.setMembers', {
    id,
    members: (await members(id)).map((each) => ({ ...each, role: projectRole.parse(each.role) })),
  });
  expect(unchanged).toEqual(both);
  expect([await set(null), await set(null)]).toEqual([alone, alone]);
});

proves(
  ['instance:projects/9', 'instance:POST /projects.2'],
  'members are set by administrators of the project, the first of whom made it',
  async () => {
    const some = await memberWith(place());
    const { id } = await newProject(some);
    const entry = { id, members: [{ user: (await memberWith(place())).id, role: 'viewer' as const }] };
    expect((await refusalOf(place().owner.invoke('instance.projects.setMembers', entry))).status).toBe(403);
    expect(await some.invoke('instance.projects.setMembers', entry)).toHaveLength(2);
  },
);

proves(
  ['instance:projects/10', 'instance:GET /projects/{id}.2', 'instance:authentication/6'],
  'who may not read a project finds neither it nor its members, a viewer finds both',
  async () => {
    const { id } = await newProject(place().owner);
    const some = await memberWith(place());
    for (const operation of ['instance.projects.get', 'instance.projects.members'] as const)
      expect((await refusalOf(some.invoke(operation, { id }))).status).toBe(404);
    await place().owner.invoke('instance.projects.setMembers', { id, members: [{ user: some.id, role: 'viewer' }] });
    expect(await some.invoke('instance.projects.get', { id })).toMatchObject({ id });
    expect((await some.invoke('instance.projects.members', { id })).totalCount).toBe(2);
  },
);
