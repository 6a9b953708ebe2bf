import { expect } from 'vitest';
import { answered, asking, once, text, time, uuid } from './instance-fields.ts';
import { memberWith, newProject, plain, useInstance } from './instance-place.ts';
import { refusalOf } from './place.ts';
import { proves } from './proves.ts';
import { nowhere } from './rows/made.ts';

const place = useInstance();
const owner = () => place().owner;
const api = () => plain(place());
const project = async (id: string) => (await api().get(`/api/v0/projects/${id}`)).body.data;

const create = asking(
  (body) => api().post('/api/v0/projects', body),
  () => ({ name: 'bridge' }),
);
const readBack =
  (field: string) =>
  async ({ data }: { data: { id: string } }): Promise<unknown> =>
    (await project(data.id))[field];

proves(['instance:POST /projects#name'], 'a project is made with a name', create('name', 'a bridge', [7, '', null], readBack('name')));
proves(['instance:POST /projects#description'], 'a project may be made with a description', async () => {
  await create('description', 'of steel', [7, {}], readBack('description'))();
  await create('description', null, [], readBack('description'))();
});
proves(['instance:POST /projects#projectNumber'], 'a project may be made with a number, which is a text', async () => {
  await create('projectNumber', 'B-7', [7, {}], readBack('projectNumber'))();
  await create('projectNumber', null, [], readBack('projectNumber'))();
});

/** Changes one field of a project that has all of them. */
const change = (field: string, good: unknown, wrong: readonly unknown[]) => async (): Promise<void> => {
  const before = { name: 'pier', description: 'of wood', projectNumber: 'P-1' };
  const { id } = await owner().invoke('instance.projects.create', before);
  const send = asking(
    (body) => api().post(`/api/v0/projects/${id}`, body),
    () => ({}),
  );
  await send(field, good, wrong, readBack(field))();
  expect(await project(id)).toMatchObject({ ...before, [field]: good });
};

proves(['instance:POST /projects/{id}#name'], 'a name is changed, and cannot be cleared', change('name', 'jetty', [null, '', 7]));
proves(['instance:POST /projects/{id}#description'], 'a description is changed and cleared, and all else stays', async () => {
  await change('description', 'of stone', [7])();
  await change('description', null, [])();
});
proves(['instance:POST /projects/{id}#projectNumber'], 'a number is changed and cleared, and all else stays', async () => {
  await change('projectNumber', 'P-2', [7])();
  await change('projectNumber', null, [])();
});

proves(['instance:POST /projects.1', 'instance:POST /projects#data'], 'a new project is answered as it is read', async () => {
  const { status, body } = await api().post('/api/v0/projects', { name: 'quay' });
  expect([status, Object.keys(body), body.data]).toEqual([201, ['data'], await project(body.data.id)]);
});
proves(['instance:GET /projects/{id}.1'], 'a project is read in data', async () => {
  const { id } = await newProject(owner());
  const { status, body } = await api().get(`/api/v0/projects/${id}`);
  expect([status, Object.keys(body), body.data.id]).toEqual([200, ['data'], id]);
});
proves(['instance:POST /projects/{id}.2', 'instance:POST /projects/{id}#data'], 'a changed project is answered as it is read', async () => {
  const { id } = await newProject(owner());
  const { status, body } = await api().post(`/api/v0/projects/${id}`, { description: 'x' });
  expect([status, Object.keys(body), body.data]).toEqual([200, ['data'], await project(id)]);
  expect(body.data.description).toBe('x');
});

proves(['instance:project/3'], 'the three roles are admin, who changes, editor, who adds, and viewer, who reads', async () => {
  const { id } = await newProject(owner());
  const people = { admin: await memberWith(place()), editor: await memberWith(place()), viewer: await memberWith(place()) };
  const roles = ['admin', 'editor', 'viewer'] as const;
  await owner().invoke('instance.projects.setMembers', { id, members: roles.map((role) => ({ user: people[role].id, role })) });
  const may = async (role: (typeof roles)[number]): Promise<number[]> => {
    const by = plain(place(), people[role].key);
    return [
      (await by.get(`/api/v0/projects/${id}`)).status,
      (await by.post('/api/v0/workflows', { name: role, projectId: id })).status,
      (await by.post(`/api/v0/projects/${id}`, { description: role })).status,
    ];
  };
  expect([await may('admin'), await may('editor'), await may('viewer')]).toEqual([
    [200, 201, 200],
    [200, 201, 403],
    [200, 403, 403],
  ]);
});

const set = (id: string, members: unknown) => api().post(`/api/v0/projects/${id}/members`, { members });

proves(
  ['instance:POST /projects/{id}/members.1', 'instance:POST /projects/{id}/members#data'],
  'members that are set are answered as the list of all of them',
  async () => {
    const { id } = await newProject(owner());
    const { id: user } = await memberWith(place());
    const { status, body } = await set(id, [{ user, role: 'viewer' }]);
    expect([status, Object.keys(body), body.data.length]).toEqual([200, ['data'], 2]);
    expect(body.data).toEqual((await owner().invoke('instance.projects.members', { id })).data);
  },
);

proves(
  [
    'instance:POST /projects/{id}/members#role',
    'instance:POST /projects/{id}/members#user',
    'instance:POST /projects/{id}/members#members',
  ],
  'a batch names users by their ids with one of three roles or null',
  async () => {
    const { id } = await newProject(owner());
    const { id: user } = await memberWith(place());
    for (const role of ['admin', 'editor', 'viewer'] as const)
      expect((await set(id, [{ user, role }])).body.data.find((each: { id: string }) => each.id === user)).toMatchObject({ role });
    expect((await set(id, [{ user, role: null }])).body.data).toHaveLength(1);
    for (const wrong of [
      [{ user, role: 'owner' }],
      [{ user, role: '' }],
      [{ user }],
      [{ role: 'viewer' }],
      [{ user: 'no id', role: 'viewer' }],
      {},
      'x',
      undefined,
    ])
      expect([wrong, (await set(id, wrong)).status]).toEqual([wrong, 400]);
    expect((await set(id, [{ user: nowhere, role: null }])).status).toBe(200);
  },
);

proves(
  ['instance:errors/not-found', 'instance:errors/not-found.1', 'instance:errors/not-found.2'],
  'what a caller cannot read is not found',
  async () => {
    const { id } = await newProject(owner());
    const { id: file } = await owner().invoke('instance.files.upload', { file: new File(['x'], 'mine.txt') });
    const some = await memberWith(place());
    for (const [mine, none] of [
      [() => some.invoke('instance.projects.get', { id }), () => some.invoke('instance.projects.get', { id: nowhere })],
      [() => some.invoke('instance.files.status', { id: file }), () => some.invoke('instance.files.status', { id: nowhere })],
    ] as const) {
      const [first, second] = [await refusalOf(mine()), await refusalOf(none())];
      expect([first.status, first.code, second.status, second.code]).toEqual([404, 'not_found', 404, 'not_found']);
      expect(String(first.body).replaceAll(/[0-9a-f-]{36}/g, '')).toBe(String(second.body).replaceAll(/[0-9a-f-]{36}/g, ''));
    }
  },
);

const file = once(async () => {
  const { id } = await owner().invoke('instance.files.upload', { file: new File(['six by'], 'a plan.txt'), path: 'plans/a plan.txt' });
  return { id, found: (await owner().invoke('instance.files.search', { query: 'a plan' })).data[0] };
});
const found = answered(async () => (await file()).found);

proves(['instance:GET /files/search#id'], 'a file that is found has its id', async () => {
  const { id, found: one } = await file();
  expect(one!.id).toBe(id);
  await found('id', uuid)();
});
proves(['instance:GET /files/search#name'], 'a file that is found has its name', async () =>
  expect((await file()).found!.name).toBe('a plan.txt'),
);
proves(['instance:GET /files/search#mimeType'], 'a file that is found has its type', async () =>
  expect((await file()).found!.mimeType).toBe('text/plain'),
);
proves(['instance:GET /files/search#parentId'], 'a file that is found has its folder', found('parentId', uuid));
proves(['instance:GET /files/search#path'], 'a file that is found has its path', async () =>
  expect((await file()).found!.path).toBe('/files/plans/a%20plan.txt'),
);

proves(
  ['instance:GET /files/{id}/status#id', 'instance:GET /files/{id}/status#status'],
  'the status of a file is its id and its status',
  async () => {
    const { id } = await file();
    expect((await api().get(`/api/v0/files/${id}/status`)).body).toEqual({ id, status: 'ready' });
  },
);

const upload = async (content: string, name: string, key?: string) => {
  const form = new FormData();
  form.set('file', new File([content], name));
  return fetch(`${place().service.url}/api/v0/files/upload`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${key ?? place().service.adminKeys.instance}` },
  });
};

const uploaded = answered(async () => (await upload('12345', 'five.csv')).json());
proves(['instance:POST /files/upload.4'], 'an upload is answered by these fields', async () => {
  expect(Object.keys((await (await upload('1', 'fields.csv')).json()) as object).toSorted()).toEqual([
    'createdAt',
    'fileType',
    'fileVersionId',
    'id',
    'mimeType',
    'name',
    'parentId',
    'size',
    'status',
  ]);
  for (const [field, type] of [
    ['id', uuid],
    ['fileVersionId', uuid],
    ['createdAt', time],
    ['mimeType', text],
  ] as const)
    await uploaded(field, type)();
});
proves(
  ['instance:file/2#size', 'instance:file/2#fileType'],
  'an upload says how many bytes it had, and that it is a document',
  async () => {
    expect(await (await upload('1234567', 'seven.csv')).json()).toMatchObject({ size: 7, fileType: 'DOCUMENT' });
  },
);

proves(['instance:file/3'], 'a file is processing, ready or failed, and nothing else', async () => {
  const kinds = ['a.txt', 'a.pdf', 'a.docx', 'a.png', 'a.dwg', 'a.bin'];
  for (const name of kinds) {
    const { id, status } = (await (await upload('%PDF-1.7', `status ${name}`)).json()) as { id: string; status: string };
    expect(['processing', 'ready']).toContain(status);
    await expect.poll(async () => (await owner().invoke('instance.files.status', { id })).status).not.toBe('processing');
    expect(['ready', 'failed']).toContain((await owner().invoke('instance.files.status', { id })).status);
  }
});

proves(
  ['instance:errors/refused-post-/files/upload.1', 'instance:errors/refused-post-/files/upload.2'],
  'a refused upload leaves no file, and says what is wrong with it',
  async () => {
    const send = (body: FormData | string, type?: string) =>
      fetch(`${place().service.url}/api/v0/files/upload`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${place().service.adminKeys.instance}`, ...(type === undefined ? {} : { 'content-type': type }) },
      });
    const without = new FormData();
    without.set('path', 'refused.txt');
    const empty = new FormData();
    empty.set('file', new File([''], 'refused.txt'));
    for (const [answer, says] of [
      [send(without), 'file'],
      [send(empty), 'empty'],
      [send('{}', 'application/json'), 'form'],
    ] as const) {
      const refused = await answer;
      expect([says, refused.status, (await refused.text()).includes(says)]).toEqual([says, 400, true]);
    }
    expect((await owner().invoke('instance.files.search', { query: 'refused' })).data).toEqual([]);
  },
);
