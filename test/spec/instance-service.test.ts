import { request } from 'node:http';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { pathFields } from '../../contracts/endpoint.ts';
import { operations } from '../../contracts/index.ts';
import { ended, launched, launchedFrom, messagesOf, orders, quick, seen } from './instance-agents.ts';
import { flag, number, time, uuid, whole } from './instance-fields.ts';
import { memberWith, newProject, plain, useInstance } from './instance-place.ts';
import { watchedCalls } from './place.ts';
import { proves } from './proves.ts';
import { nowhere } from './rows/made.ts';

const place = useInstance();
beforeAll(() => quick(place()));
const owner = () => place().owner;
const ofInstance = Object.entries<Endpoint>(operations).filter(([name]) => name.startsWith('instance.'));
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, nowhere);

proves(
  ['instance:instance-administration-agent-file-project-workflow-and-budget-api/2', 'instance:versioning/1'],
  'all paths stand under /api/v0, and lead nowhere without it or under another version',
  async () => {
    expect(ofInstance.length).toBeGreaterThan(38);
    for (const [name, { method, path }] of ofInstance) {
      expect([name, path.startsWith('/api/v0/')]).toEqual([name, true]);
      const send = async (to: string): Promise<string> => {
        const { status, body } = await plain(place()).send(method, to, method === 'GET' ? undefined : {});
        const said = String(body?.error ?? body?.detail);
        return status === 404 && said.startsWith('no such operation') ? 'nowhere' : 'an operation';
      };
      expect([name, await send(filled(path))]).toEqual([name, 'an operation']);
      for (const other of ['/api', '/api/v1', '/v0'])
        expect([name, other, await send(filled(path).replace('/api/v0', other))]).toEqual([name, other, 'nowhere']);
    }
  },
);

proves(
  ['instance:instance-administration-agent-file-project-workflow-and-budget-api/3'],
  'the maps API stands beside it, at its own paths and with its own keys',
  async () => {
    const { service, api } = place();
    expect((await api.get('/v1/user/')).status).toBe(200);
    expect((await plain(place()).get('/v1/user/')).status).toBe(401);
    expect((await plain(place(), service.adminKeys.maps).get('/api/v0/projects')).status).toBe(401);
  },
);

proves(
  ['instance:what-the-service-does/2'],
  'keys of the organization are listed and revoked, and accounts are disabled and enabled',
  async () => {
    const some = await memberWith(place());
    const [key] = (await owner().invoke('instance.apiKeys.list', { userId: some.id })).data;
    await owner().invoke('instance.apiKeys.revoke', { id: key!.id });
    expect((await owner().invoke('instance.apiKeys.list', { userId: some.id })).data).toEqual([]);
    await owner().invoke('instance.users.disable', { id: some.id, reason: 'left' });
    expect((await owner().invoke('instance.users.get', { id: some.id })).disabled).toBe(true);
    await owner().invoke('instance.users.enable', { id: some.id, reason: 'back' });
    expect((await owner().invoke('instance.users.get', { id: some.id })).disabled).toBe(false);
  },
);

proves(
  ['instance:what-the-service-does/3', 'instance:GET /agents/{id}.1', 'instance:GET /agents/{id}#data'],
  'agents are launched, inspected, stopped, deleted and go on with follow-ups',
  async () => {
    const { id: workflowId } = await owner().invoke('instance.workflows.create', {
      name: 'life of an agent',
      instructionMarkdown: 'Count the orders by status.',
      requestedFiles: [{ name: 'orders' }],
    });
    const { id: file } = await owner().invoke('instance.files.upload', { file: new File([orders], 'life.csv') });
    const { id } = await launchedFrom(owner(), workflowId, { workflowInputs: { orders: file } });
    const { artifacts } = await ended(owner(), id);
    expect((await messagesOf(owner(), id)).at(-1)!.text).toContain('open 2');
    expect((await owner().invoke('instance.agents.usage', { id })).spend).toHaveLength(1);
    expect((await owner().invoke('instance.agents.artifact', { id, artifactId: artifacts![0]!.id })).type).toBe('TABLE');
    await owner().invoke('instance.agents.followup', { id, prompt: { text: 'Ask me which ship is meant.' } });
    await seen(owner(), id, 'awaiting_tool');
    await owner().invoke('instance.agents.stop', { id });
    const { status, body } = await plain(place()).get(`/api/v0/agents/${id}`);
    expect([status, Object.keys(body), body.data.id]).toEqual([200, ['data'], id]);
    await seen(owner(), id, 'stopped');
    await owner().invoke('instance.agents.remove', { id });
    expect((await plain(place()).get(`/api/v0/agents/${id}`)).status).toBe(404);
  },
);

proves(
  ['instance:GET /agents/{id}/usage.1', 'instance:GET /agents/{id}/usage#data', 'instance:GET /agents/{id}/conversation#data'],
  'conversation and usage of an agent are in data, with its id',
  async () => {
    const { id } = await launched(owner(), 'Summarise: ships sail.');
    await ended(owner(), id);
    for (const [what, field] of [
      ['usage', 'spend'],
      ['conversation', 'messages'],
    ] as const) {
      const { status, body } = await plain(place()).get(`/api/v0/agents/${id}/${what}`);
      expect([status, Object.keys(body), Object.keys(body.data).toSorted(), body.data.id]).toEqual([200, ['data'], ['id', field], id]);
    }
  },
);

proves(
  [
    'instance:GET /agents/{id}/artifacts/{artifactId}.1',
    'instance:GET /agents/{id}/artifacts/{artifactId}#data',
    'instance:GET /agents/{id}/artifacts/{artifactId}/exports#data',
  ],
  'an artifact and its export are in data',
  async () => {
    const { id } = await launched(owner(), 'Count the orders by status.', { 'in data.csv': orders });
    const { artifacts } = await ended(owner(), id);
    const path = `/api/v0/agents/${id}/artifacts/${artifacts![0]!.id}`;
    for (const of of [path, `${path}/exports?format=csv`]) {
      const { status, body } = await plain(place()).get(of);
      expect([status, Object.keys(body), body.data.id]).toEqual([200, ['data'], artifacts![0]!.id]);
    }
  },
);

proves(['instance:what-the-service-does/4'], 'files are uploaded, and their readiness is polled', async () => {
  const fault = { operation: 'file.ingesting', do: { hold: 'before' } };
  const { id: hold } = (await place().api.post('/__control/faults', fault)).body as { id: string };
  const { id } = await owner().invoke('instance.files.upload', { file: new File(['%PDF-1.7'], 'polled.pdf') });
  const status = async () => (await owner().invoke('instance.files.status', { id })).status;
  expect(await status()).toBe('processing');
  await place().api.post('/__control/release', { id: hold });
  await expect.poll(status).toBe('ready');
});

proves(['instance:what-the-service-does/5'], 'projects are made and changed, and their members have roles', async () => {
  const { id } = await newProject(owner());
  const { id: user } = await memberWith(place());
  await owner().invoke('instance.projects.update', { id, projectNumber: 'N-1' });
  await owner().invoke('instance.projects.setMembers', { id, members: [{ user, role: 'editor' }] });
  expect(await owner().invoke('instance.projects.get', { id })).toMatchObject({ projectNumber: 'N-1' });
  expect((await owner().invoke('instance.projects.members', { id })).data.find((each) => each.id === user)).toMatchObject({
    role: 'editor',
  });
});

proves(['instance:what-the-service-does/7'], 'codes and standards are searched', async () => {
  const { results } = await owner().invoke('instance.codes.search', { query: 'sprinklers', jurisdiction: 'harborland', codeType: 'fire' });
  expect(results[0]!.content[0]!.text).toContain('sprinklers');
});

proves(['instance:what-the-service-does/8'], 'workflows are made, edited, kept in versions and released', async () => {
  const { id: workflowId, versionId } = await owner().invoke('instance.workflows.create', { name: 'life of a workflow' });
  await owner().invoke('instance.workflows.release', { workflowId, versionId });
  await owner().invoke('instance.workflows.update', { workflowId, mode: 'high' });
  expect(
    (await owner().invoke('instance.workflows.versions', { workflowId })).map(({ version, isReleased }) => [version, isReleased]),
  ).toEqual([
    [2, false],
    [1, true],
  ]);
});

proves(['instance:what-the-service-does/9'], 'budgets are read, and limits of their members are set', async () => {
  const { id: projectId } = await newProject(owner());
  const { id } = await owner().invoke('instance.budgets.create', { projectId, amountCents: 9, memberLimits: { enabled: true } });
  const [me] = (await owner().invoke('instance.budgets.members', { id })).data;
  await owner().invoke('instance.budgets.setMembers', { id, members: [{ user: me!.id, limitCents: 4 }] });
  expect((await owner().invoke('instance.budgets.members', { id })).data).toMatchObject([{ limitCents: 4 }]);
  expect((await owner().invoke('instance.budgets.get', { id })).funding.amountCents).toBe(9);
});

/** What every read of a service with one of everything answers, as fields with their names. */
async function everyField(): Promise<[name: string, value: unknown][]> {
  const project = await newProject(owner(), { description: 'x', projectNumber: 'y' });
  const { id: budget } = await owner().invoke('instance.budgets.create', {
    projectId: project.id,
    amountCents: 5,
    renewal: { cadence: 'daily', amountCents: 1 },
    memberLimits: { enabled: true, defaultCents: 2, period: 'daily' },
  });
  const { id: workflow } = await owner().invoke('instance.workflows.create', { name: 'fields', projectId: project.id });
  const { id } = await launched(owner(), 'Count the orders by status.', { 'fields.csv': orders });
  const { artifacts } = await ended(owner(), id);
  const users = (await owner().invoke('instance.users.list', {})).data;
  const paths = [
    'api-keys',
    'users',
    `users/${users[0]!.id}`,
    'agents',
    `agents/${id}`,
    `agents/${id}/conversation?include=steps`,
    `agents/${id}/usage`,
    `agents/${id}/artifacts/${artifacts![0]!.id}`,
    `agents/${id}/artifacts/${artifacts![0]!.id}/exports?format=csv`,
    'files/search?query=fields',
    'projects',
    `projects/${project.id}/members`,
    `workflows/${workflow}`,
    `workflows/${workflow}/versions`,
    'budgets',
    `budgets/${budget}/members`,
  ];
  const fields: [string, unknown][] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) {
        if (name === 'content') continue;
        if (typeof each === 'object' && each !== null && !Array.isArray(each)) walk(each);
        else if (Array.isArray(each) && each.every((one) => typeof one === 'object')) walk(each);
        else fields.push([name, each]);
      }
  };
  for (const path of paths) {
    const { status, body } = await plain(place()).get(`/api/v0/${path}`);
    expect([path, status]).toEqual([path, 200]);
    walk(body);
  }
  return fields;
}

proves(
  ['instance:what-the-service-does/10', 'instance:what-the-service-does/11', 'instance:what-the-service-does/12'],
  'wherever they stand times are ISO 8601, ids are uuids and cents are whole',
  async () => {
    const fields = await everyField();
    const all = (names: RegExp) => fields.filter(([name, value]) => names.test(name) && value !== null);
    const found = { times: all(/At$/), ids: all(/^id$|Id$/), cents: all(/Cents$/) };
    for (const some of Object.values(found)) expect(some.length).toBeGreaterThan(8);
    for (const [name, value] of found.times) expect([name, value, time.safeParse(value).success]).toEqual([name, value, true]);
    for (const [name, value] of found.ids) expect([name, value, uuid.safeParse(value).success]).toEqual([name, value, true]);
    for (const [name, value] of found.cents) expect([name, value, whole.safeParse(value).success]).toEqual([name, value, true]);
  },
);

proves(
  ['instance:what-the-service-does/13', 'instance:what-the-service-does/13#USD'],
  'what is no cents is dollars as a number, finer than a cent',
  async () => {
    const { id } = await launched(owner(), 'Count the orders by status.', { 'dollars.csv': orders });
    await ended(owner(), id);
    const [spend] = (await owner().invoke('instance.agents.usage', { id })).spend;
    expect([number.safeParse(spend!.costUsd).success, spend!.costUsd > 0, spend!.costUsd < 0.01]).toEqual([true, true, true]);
    expect(flag.safeParse(spend!.costUsd).success).toBe(false);
  },
);

proves(['instance:endpoints/2', 'instance:endpoints/2#data'], 'a single result is wrapped in data', async () => {
  const { id } = await newProject(owner());
  const { id: workflow } = await owner().invoke('instance.workflows.create', { name: 'wrapped' });
  const { id: agent } = await launched(owner(), 'Summarise: ships sail.');
  for (const path of [`projects/${id}`, `workflows/${workflow}`, `agents/${agent}`, `agents/${agent}/usage`, 'budgets/organization']) {
    const { body } = await plain(place()).get(`/api/v0/${path}`);
    expect([path, Object.keys(body), Array.isArray(body.data)]).toEqual([path, ['data'], false]);
  }
});

proves(['instance:authentication/1'], 'every operation takes its key as a bearer, and the client sends it so', async () => {
  for (const [name, { method, path }] of ofInstance)
    for (const authorization of ['', place().service.adminKeys.instance, `Basic ${place().service.adminKeys.instance}`, 'Bearer ']) {
      const { status, body } = await place().api.send(method, filled(path), method === 'GET' ? undefined : {}, { authorization });
      expect([name, authorization.split(' ')[0], status, body.code]).toEqual([name, authorization.split(' ')[0], 401, 'unauthorized']);
    }
  const { invoke, sent } = watchedCalls(place(), '', 'instance');
  await invoke('instance.projects.list', {});
  expect(sent[0]!.headers['authorization']).toBe(`Bearer ${place().service.adminKeys.instance}`);
});

proves(['instance:authentication/2'], 'no operation makes keys', async () => {
  expect(ofInstance.filter(([name]) => name.startsWith('instance.apiKeys.')).map(([name]) => name)).toEqual([
    'instance.apiKeys.list',
    'instance.apiKeys.revoke',
  ]);
  const before = (await owner().invoke('instance.apiKeys.list', {})).totalCount;
  for (const path of ['/api/v0/api-keys', '/api/v0/api-keys/create', '/api/v0/developer'])
    expect([404, 405]).toContain((await plain(place()).post(path, { name: 'x', scopes: ['admin'] })).status);
  expect((await owner().invoke('instance.apiKeys.list', {})).totalCount).toBe(before);
});

/** Whether a key of one scope alone gets as far as the operation itself. */
const reaches = async (scope: string, method: string, path: string, body?: object): Promise<boolean> => {
  const { key } = (await place().api.post('/__control/keys', { service: 'instance', name: scope, scopes: [scope] })).body;
  return (await plain(place(), key).send(method, path, method === 'GET' ? undefined : (body ?? {}))).status !== 403;
};

proves(
  ['instance:GET /files/{id}/status.1', 'instance:POST /files/temp-folder.1', 'instance:POST /files/upload.3'],
  'to read files is another scope than to upload them',
  async () => {
    expect([
      await reaches('developer:files', 'GET', `/api/v0/files/${nowhere}/status`),
      await reaches('developer:files', 'POST', '/api/v0/files/temp-folder'),
      await reaches('developer:files', 'POST', '/api/v0/files/upload'),
      await reaches('developer:files:upload', 'GET', `/api/v0/files/${nowhere}/status`),
      await reaches('developer:files:upload', 'POST', '/api/v0/files/temp-folder'),
      await reaches('developer:files:upload', 'POST', '/api/v0/files/upload'),
    ]).toEqual([true, false, false, false, true, true]);
  },
);

proves(
  ['instance:errors/2'],
  'every operation says in its document, and in its answer, after how long a refused call is taken',
  async () => {
    const { body } = await plain(place()).get('/api/v0/openapi.json');
    for (const [name, { method, path, limit }] of ofInstance) {
      const documented = body.paths[path][method.toLowerCase()].responses['429'].description;
      expect([name, documented]).toEqual([name, expect.stringContaining('Retry-After')]);
      await place().api.post('/__control/limits', { class: limit, count: 0, seconds: 60 });
      const { status, headers } = await plain(place()).send(method, filled(path), method === 'GET' ? undefined : {});
      await place().api.post('/__control/limits', { class: limit, count: null });
      expect([name, status, Number(headers.get('retry-after')) > 0]).toEqual([name, 429, true]);
    }
    expect(pathFields('/{a}/{b}')).toEqual(['a', 'b']);
  },
);

proves(['instance:files/2'], 'the bytes of an upload are on the disk while it is still being sent', async () => {
  const sending = request(`${place().service.url}/api/v0/files/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${place().service.adminKeys.instance}`,
      'content-type': 'multipart/form-data; boundary=x',
      'transfer-encoding': 'chunked',
    },
  });
  const part = 2 * 1_048_576;
  sending.write('--x\r\ncontent-disposition: form-data; name="file"; filename="streamed.bin"\r\n\r\n');
  sending.write(Buffer.alloc(part, 7));
  const folder = join(place().dataDir, 'incoming');
  const stored = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  await expect.poll(stored).toBeGreaterThan(part / 2);
  expect((await owner().invoke('instance.files.search', { query: 'streamed' })).data).toEqual([]);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  sending.on('error', reject).on('response', (answer) => {
    answer.resume();
    resolve(answer.statusCode!);
  });
  sending.end('\r\n--x--\r\n');
  expect(await promise).toBe(200);
  expect((await owner().invoke('instance.files.search', { query: 'streamed' })).data).toHaveLength(1);
});

proves(
  ['instance:instance-administration-agent-file-project-workflow-and-budget-api/1', 'instance:what-the-service-does/1'],
  'the interface is keys, agents, files, projects, parsing, codes, workflows, budgets and users',
  async () => {
    const { body } = await plain(place()).get('/api/v0/openapi.json');
    const paths = Object.keys(body.paths).map((path) => path.split('/')[3]!);
    expect([...new Set(paths)].toSorted()).toEqual(
      ['api-keys', 'agents', 'files', 'projects', 'parse', 'codes', 'workflows', 'budgets', 'users'].toSorted(),
    );
  },
);

proves(['instance:authentication/4'], 'each of the five scopes opens its operations and none of the others', async () => {
  const ways = {
    'admin:api-keys:read': [['GET', '/api/v0/api-keys']],
    'admin:api-keys:write': [['POST', `/api/v0/api-keys/${nowhere}/revoke`]],
    'developer:parse': [
      ['POST', '/api/v0/parse'],
      ['GET', `/api/v0/parse/${nowhere}`],
    ],
    'developer:files': [['GET', `/api/v0/files/${nowhere}/status`]],
    'developer:files:upload': [
      ['POST', '/api/v0/files/temp-folder'],
      ['POST', '/api/v0/files/upload'],
    ],
  } as const;
  for (const [scope, own] of Object.entries(ways))
    for (const [other, paths] of Object.entries(ways))
      for (const [method, path] of paths) {
        // To write is to read.
        const may = scope === other || (scope === 'admin:api-keys:write' && other === 'admin:api-keys:read');
        expect([scope, path, await reaches(scope, method, path)]).toEqual([scope, path, may]);
        expect(own.length).toBeGreaterThan(0);
      }
});
