import { expect } from 'vitest';
import { operations } from '../../contracts/index.ts';
import { createMap, shardOf } from '../service/world.ts';
import { everything } from './map-points.ts';
import { addPerson, updateMaps, usePlace, watchedCalls, type Place } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

const nobody = '00000000-0000-4000-8000-000000000000';

proves(['maps:versioning/1'], 'every path begins with /v1, and leads nowhere without it or under another version', async () => {
  const { api } = place();
  const addresses = Object.entries(operations).filter(([name]) => name.startsWith('maps.'));
  expect(addresses.length).toBeGreaterThan(40);
  for (const [name, { method, path }] of addresses) {
    expect(path, name).toMatch(/^\/v1\//);
    const filled = path.replaceAll(/\{\w+\}/g, nobody);
    const send = async (to: string): Promise<string> => {
      const { status, body } = await api.send(method, to, method === 'GET' ? undefined : {});
      return status === 404 && String(body.detail).startsWith('no such operation') ? 'nowhere' : 'an operation';
    };
    expect([name, await send(filled)]).toEqual([name, 'an operation']);
    for (const version of ['', '/v0', '/v2'])
      expect([name, version, await send(filled.replace('/v1', version))]).toEqual([name, version, 'nowhere']);
  }
});

/** An organization of its own with a dataset and a member. */
async function createScene(place: Place, name: string) {
  const { invoke } = place.calls;
  const { organization_id } = await invoke('maps.organizations.create', { nickname: name });
  const { project_id } = await invoke('maps.projects.create', { organization_id, project_name: name });
  const { id: user_id } = await addPerson(place, name);
  await invoke('maps.members.add', { organization_id, user_id, access_role: 'MEMBER' });
  const roleOf = async (): Promise<string | null | undefined> =>
    (await invoke('maps.organizations.get', { organization_id_or_slug: organization_id })).members?.find((each) => each.user_id === user_id)
      ?.access_role;
  return { organization_id, project_id, user_id, roleOf };
}

proves(['maps:versioning/3'], 'what is deprecated does what the operation does that replaces it', async () => {
  const { api, calls } = place();
  const { organization_id, project_id, user_id, roleOf } = await createScene(place(), 'deprecated');
  await api.post('/v1/organization/members/modify', { organization_id, user_id, access_role: 'ADMIN' });
  expect(await roleOf()).toBe('ADMIN');
  await api.post('/v1/organization/members/remove', { organization_id, user_id });
  expect(await roleOf()).toBeUndefined();
  await api.post(`/v1/project/update/${project_id}`, { id: project_id, description: 'by its path' });
  expect((await calls.invoke('maps.projects.get', { project_id })).description).toBe('by its path');
  const { projects } = await calls.invoke('maps.projects.list', {});
  expect(projects.map(({ id }) => id)).toContain(project_id);
  expect((await api.get('/v1/project/sidebar/list')).body.projects).toEqual(projects);
});

proves(['maps:versioning/3'], 'the client sends to the operations that replace the deprecated ones', async () => {
  const { organization_id, project_id, user_id, roleOf } = await createScene(place(), 'replaced');
  const { invoke, sent } = watchedCalls(place());
  await invoke('maps.members.update', { organization_id, user_id, access_role: 'ADMIN' });
  expect(await roleOf()).toBe('ADMIN');
  await invoke('maps.members.remove', { organization_id, user_id });
  await invoke('maps.projects.list', {});
  await invoke('maps.projects.update', { project_id, id: project_id, description: 'by its query' });
  expect(await roleOf()).toBeUndefined();
  expect((await invoke('maps.projects.get', { project_id })).description).toBe('by its query');
  expect(sent.slice(0, 4).map(({ method, url }) => `${method} ${url.replace(place().service.url, '')}`)).toEqual([
    'POST /v1/organization/members/update',
    'POST /v1/organization/members/delete',
    'GET /v1/project/',
    `POST /v1/project/update?project_id=${project_id}`,
  ]);
});

proves(['maps:versioning/3'], 'the update of indices, which nothing replaces, is still there and marked as deprecated', async () => {
  const { calls } = place();
  const { project_id, map } = await createMap(place(), 25);
  await calls.invoke('maps.data.addArrow', { body: shardOf(project_id, 5, { from: 25 }) });
  const mapped = () => calls.invoke('maps.query.select', { projection_id: map, selection: everything });
  expect(await mapped()).toHaveLength(25);
  await updateMaps(calls, project_id);
  expect(await mapped()).toHaveLength(30);
  expect(operations['maps.indices.update'].deprecated).toEqual({ instead: null });
});

/** The deprecated requests of the text, and what it names in their place. */
const deprecated = {
  'POST /v1/organization/members/remove': 'POST /v1/organization/members/delete',
  'POST /v1/organization/members/modify': 'POST /v1/organization/members/update',
  'GET /v1/project/sidebar/list': 'GET /v1/project/',
  'POST /v1/project/update/{project_id}': 'POST /v1/project/update?project_id={project_id}',
  'POST /v1/project/update_indices': undefined,
};

proves(['maps:versioning/3'], 'the document of the API marks what is deprecated, and nothing else', async () => {
  const { paths } = JSON.parse(new TextDecoder().decode((await place().api.get('/v1/openapi.json')).bytes)) as {
    paths: Record<string, Record<string, { deprecated?: boolean; description: string }>>;
  };
  const marked = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.deprecated ? [[`${method.toUpperCase()} ${path}`, operation.description] as const] : [],
    ),
  );
  expect(marked.map(([request]) => request).toSorted()).toEqual(Object.keys(deprecated).toSorted());
  for (const [request, description] of marked)
    expect(description).toContain(
      `deprecated: ${deprecated[request as keyof typeof deprecated]?.replace(/^/, 'send ') ?? 'the text names no other operation for the same'}`,
    );
});

proves(
  ['maps:versioning/3'],
  'an answer at a deprecated address says so and where to send instead, also a refusal; others say nothing',
  async () => {
    const { api } = place();
    const asked = async (request: string): Promise<[string | null, string | null]> => {
      const [method, path] = request.replaceAll(/\{\w+\}/g, nobody).split(' ') as [string, string];
      const { headers } = await api.send(method, path, method === 'GET' ? undefined : {});
      return [headers.get('deprecation'), headers.get('link')];
    };
    for (const [request, instead] of Object.entries(deprecated)) {
      const target = instead?.replaceAll(/\{\w+\}/g, nobody).split(' ')[1];
      // A date as RFC 9745 writes it.
      expect([request, ...(await asked(request))]).toEqual([
        request,
        expect.stringMatching(/^@\d+$/),
        target === undefined ? null : `<${target}>; rel="successor-version"`,
      ]);
      expect(await asked(request.replace('/v1/project/', '/v1/dataset/'))).toEqual(await asked(request));
      if (instead) expect(await asked(instead)).toEqual([null, null]);
    }
    expect(await asked('POST /v1/organization/rename')).toEqual([null, null]);
  },
);
