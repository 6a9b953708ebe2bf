import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'vitest';
import { allStatements } from '../../scripts/spec/texts.ts';
import type { OpenApi } from '../../service/openapi/document.ts';
import { signIn } from '../support/sign-in.ts';
import { createMap } from '../service/world.ts';
import { addPerson, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

type Schema = { properties?: Record<string, object> };
type Described = {
  security: Record<string, []>[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema & { items?: Schema } }> }>;
};
type Description = OpenApi & { servers: { url: string }[]; paths: Record<string, Record<string, Described>> };

/** The description, as whoever has no key reads it. */
const read = async (): Promise<Description> => (await fetch(`${place().service.url}/v1/openapi.json`)).json() as Promise<Description>;

/** Addresses of the text as the description has them: parameters have other names here and there. */
const form = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
const at = ({ paths }: Description, method: string, path: string): Described => {
  const [, found] = Object.entries(paths).find(([each, methods]) => form(each) === form(path) && method.toLowerCase() in methods) ?? [];
  if (!found) throw new Error(`not described: ${method} ${path}`);
  return found[method.toLowerCase()]!;
};

/** The rows of the text: method, path and what it says of them. */
const rows = allStatements().flatMap(({ id, kind, text }) => {
  const [, method, path] = /^maps:([A-Z]+) (\S+)$/.exec(id) ?? [];
  return kind === 'operation' && method && path ? [{ method, path, text }] : [];
});

proves(
  ['maps:what-the-service-does/12', 'maps:versioning/2'],
  'the machine-readable description is OpenAPI 3.1.0 of version v0.57.0, for the address at which the service is asked',
  async () => {
    const description = await read();
    expect([description.openapi, description.info.version]).toEqual(['3.1.0', 'v0.57.0']);
    expect(await new Validator().validate(structuredClone(description))).toEqual({ valid: true });
    const [{ url }] = description.servers as [{ url: string }];
    expect(url).toBe(place().service.url);
    // What is described is found there.
    expect((await fetch(`${url}/v1/health/`)).status).toBe(200);
    expect(Object.keys(description.paths)).toContain('/v1/health/');
  },
);

proves(['maps:what-the-service-does/13'], 'its title is that of a data-map API, and it has every operation of the text', async () => {
  const description = await read();
  expect(description.info.title).toMatch(/data[- ]map API/i);
  expect(description.info.version).toBe('v0.57.0');
  expect(rows.length).toBeGreaterThan(50);
  for (const { method, path } of rows) expect(at(description, method, path).responses, `${method} ${path}`).toEqual(expect.any(Object));
});

const schemesAt = (description: Description, method: string, path: string): string[] =>
  at(description, method, path).security.flatMap((each) => Object.keys(each));

proves(
  ['maps:authentication/4'],
  'there are three schemes: implicit flow and HTTP bearer, whose tokens the identity provider gives, and a password bearer of one operation',
  async () => {
    const { service, withKey } = place();
    const description = await read();
    expect(description.components.securitySchemes).toMatchObject({
      implicit: { type: 'oauth2', flows: { implicit: { authorizationUrl: '/v1/user/authorize' } } },
      bearer: { type: 'http', scheme: 'bearer' },
      password: { type: 'oauth2', flows: { password: {} } },
    });
    expect(Object.keys(description.components.securitySchemes)).toHaveLength(3);
    const withPassword = rows.filter(({ method, path }) => schemesAt(description, method, path).includes('password'));
    expect(withPassword.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/user/']);
    // The address that the implicit scheme names leads to a token, which is taken as the bearer of a request.
    const { authorization_url } = (await (await fetch(`${service.url}/v1/user/authorize`)).json()) as { authorization_url: string };
    const code = await signIn(authorization_url, service.adminKeys.maps);
    const { access_token } = await withKey('').invoke('maps.identity.token', { code });
    expect((await withKey(access_token).invoke('maps.user.get', {})).sub).toEqual(expect.any(String));
  },
);

proves(
  ['maps:authentication/5'],
  'most operations on datasets and organizations take the token of a sign-in as they take a key',
  async () => {
    const { service, withKey, organization } = place();
    const description = await read();
    const concerned = rows.filter(({ path }) => /^\/v1\/(?:project|organization)\//.test(path));
    const either = concerned.filter(({ method, path }) => {
      const schemes = schemesAt(description, method, path);
      return schemes.includes('bearer') && schemes.includes('implicit');
    });
    expect(either.length).toBeGreaterThan(concerned.length / 2);
    const { authorization_url } = (await (await fetch(`${service.url}/v1/user/authorize`)).json()) as { authorization_url: string };
    const { access_token } = await withKey('').invoke('maps.identity.token', {
      code: await signIn(authorization_url, service.adminKeys.maps),
    });
    for (const token of [access_token, service.adminKeys.maps]) {
      const { invoke } = withKey(token);
      const { organization_id } = organization;
      const { project_id } = await invoke('maps.projects.create', { organization_id, project_name: 'by either' });
      await invoke('maps.projects.update', { project_id, id: project_id, description: 'by either' });
      expect((await invoke('maps.projects.get', { project_id })).description).toBe('by either');
      expect((await invoke('maps.organizations.get', { organization_id_or_slug: organization_id })).id).toBe(organization_id);
      await invoke('maps.projects.remove', { project_id });
    }
  },
);

proves(
  ['maps:authentication/10'],
  'within_limit, search/id and datums are described with the bearer scheme alone, and take a key in no other way',
  async () => {
    const { service, organization } = place();
    const { project_id, map } = await createMap(place(), 25);
    const description = await read();
    const tiles = encodeURIComponent('["0/0/0"]');
    const asked = [
      [
        '/v1/organization/{organization_id_or_slug}/usage/{usage_type}/within_limit',
        `/v1/organization/${organization.slug}/usage/text_tokens/within_limit`,
      ],
      ['/v1/project/search/id', `/v1/project/search/id?project_id=${project_id}&projection_id=${map}&tiles=${tiles}&tix=0&rix=0`],
      ['/v1/project/projection/{map_id}/datums', `/v1/project/projection/${map}/datums?qid=0-1`],
    ] as const;
    const key = service.adminKeys.maps;
    for (const [path, address] of asked) {
      expect(schemesAt(description, 'GET', path), path).toEqual(['bearer']);
      const status = async (headers: Record<string, string>, more = '') =>
        (await fetch(`${service.url}${address}${more}`, { headers })).status;
      expect([path, await status({ authorization: `Bearer ${key}` })]).toEqual([path, 200]);
      const others = [
        await status({}),
        await status({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
        await status({ 'x-api-key': key }),
        await status({}, `${address.includes('?') ? '&' : '?'}access_token=${key}`),
      ];
      expect([path, others]).toEqual([path, others.map(() => 401)]);
    }
  },
);

/** Bodies whose fields the text lists: the part of it, and the address that takes them. */
const listed = {
  'query-request': '/v1/query',
  'top-k-request': '/v1/query/topk',
  'tag-update-request': '/v1/query/update/tag/ids',
  'api-key-creation-request': '/v1/user/authorization/keys/{organization_id}/create',
  'image-embedding': '/v1/embedding/image',
  'parse-request': '/v1/parse',
} as const;

const bodyFields = ({ requestBody }: Described): string[] => [
  ...new Set(Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema?.properties ?? {}))),
];

proves(
  ['maps:endpoints/3'],
  'bodies that the text lists are described with the fields of the list; those that it names alone have fields too, of which it lists none',
  async () => {
    const description = await read();
    const statements = allStatements();
    for (const [part, path] of Object.entries(listed)) {
      const fields = statements.flatMap(({ id }) => new RegExp(`^maps:${part}/([a-z_]+)$`).exec(id)?.[1] ?? []);
      expect(fields.length, part).toBeGreaterThan(1);
      expect(bodyFields(at(description, 'POST', path)), part).toEqual(expect.arrayContaining(fields));
    }
    const named = rows.filter(({ text }) => /\bbody (?:[A-Z]\w+)/.test(text));
    expect(named.length).toBeGreaterThan(15);
    for (const { method, path, text } of named) {
      const [, name] = /\bbody ([A-Z]\w+)/.exec(text)!;
      expect(bodyFields(at(description, method, path)).length, `${name} of ${method} ${path}`).toBeGreaterThan(0);
      expect(statements.filter(({ id }) => id.startsWith(`maps:${name}/`))).toEqual([]);
    }
  },
);

/** What the text says that it covers, by the addresses that are of it. */
const covered: Readonly<Record<string, RegExp>> = {
  organizations: /^\/v1\/organization\//,
  users: /^\/v1\/user\//,
  'API keys': /^\/v1\/user\/authorization\/keys\//,
  projects: /^\/v1\/project\/(?:create|\{project_id\}|update|remove)$/,
  maps: /^\/v1\/project\/(?:projection|index)\//,
  'data access': /^\/v1\/project\/(?:data\/get|atoms\/get)/,
  'selection queries': /^\/v1\/query$/,
  'top-k vector search': /^\/v1\/query\/topk$/,
  tagging: /^\/v1\/query\/update\/tag\//,
  'image embedding': /^\/v1\/embedding\/image$/,
  'file parsing': /^\/v1\/parse$/,
};

const nobody = '00000000-0000-4000-8000-000000000000';

/** Whether an address leads to an operation: neither one that is none, nor another method of one. */
const leads = async (method: string, path: string, key: string): Promise<boolean> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const filled = path.replaceAll(/\{\w+\}/g, nobody);
  const answer = await fetch(`${place().service.url}${filled}`, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) });
  return answer.status !== 405 && !/no such operation/.test(await answer.text());
};

proves(['maps:map-data-service-api/1'], 'every operation of the text is there at the base URL, of each kind that it says', async () => {
  for (const [what, pattern] of Object.entries(covered))
    expect(
      rows.some(({ path }) => pattern.test(path)),
      what,
    ).toBe(true);
  const { maps } = place().service.adminKeys;
  for (const { method, path } of rows) expect([method, path, await leads(method, path, maps)]).toEqual([method, path, true]);
  expect(await leads('POST', '/v1/project/no/such/operation/at/all', maps)).toBe(false);
});

proves(
  ['maps:map-data-service-api/2'],
  'agents, files, projects, workflows, budgets, users and keys of the instance are at /api/v0, and not among the operations of this API',
  async () => {
    const { instance } = place().service.adminKeys;
    const administered = allStatements().flatMap(({ id, kind }) => {
      const [, method, path] = /^instance:([A-Z]+) (\/(?:agents|files|projects|workflows|budgets|users|api-keys)\S*)$/.exec(id) ?? [];
      return kind === 'operation' && method && path ? [{ method, path }] : [];
    });
    expect(new Set(administered.map(({ path }) => path.split('/')[1])).size).toBe(7);
    for (const { method, path } of administered)
      expect([method, path, await leads(method, `/api/v0${path}`, instance), await leads(method, `/v1${path}`, instance)]).toEqual([
        method,
        path,
        true,
        false,
      ]);
  },
);

proves(
  ['maps:resources-and-their-fields/1'],
  'organizations, users, keys, datasets, maps, points, blobs, indices, tags and tasks are each found by what the text addresses them by',
  async () => {
    const { calls, organization } = place();
    const { invoke } = calls;
    const { organization_id, slug } = organization;
    for (const organization_id_or_slug of [organization_id, slug])
      expect((await invoke('maps.organizations.get', { organization_id_or_slug })).id).toBe(organization_id);
    const person = await addPerson(place(), 'resource');
    expect((await person.invoke('maps.user.get', {})).sub).toBe(person.id);
    await invoke('maps.keys.create', { organization_id, key_name: 'a resource' });
    expect((await invoke('maps.keys.list', { organization_id })).keys.map(({ key_name }) => key_name)).toContain('a resource');
    const { project_id, map, job } = await createMap(place(), 25);
    // One id, called a project's or a dataset's.
    expect((await invoke('maps.projects.get', { project_id })).id).toBe(project_id);
    expect((await invoke('maps.data.rows', { dataset_id: project_id, limit: 1 })).data).toHaveLength(1);
    // And one of a map, called a projection's or a map's.
    const { index_id } = await invoke('maps.indices.job', { job_id: job });
    const [index] = (await invoke('maps.projects.get', { project_id })).atlas_indices;
    expect([index!.id, index!.projections[0]!.id]).toEqual([index_id, map]);
    const asJson = await invoke('maps.data.datums', { map_id: map, qids: ['0-0'], response_type: 'json', columns: ['id'] });
    const [point] = asJson as { id: string }[];
    const { datums } = await invoke('maps.data.get', { project_id, datum_ids: [point!.id] });
    expect((await invoke('maps.data.atoms', { project_id, index_id, atom_ids: [point!.id] })).atoms).toEqual({
      [point!.id]: datums[0],
    });
    const { hashes } = await invoke('maps.blobs.add', { dataset_id: project_id, blobs: [new Blob(['bytes'])] });
    const { url } = await invoke('maps.blobs.get', { dataset_id: project_id, blob_hash: hashes[0]! });
    expect(await (await fetch(url)).text()).toBe('bytes');
    const tag = { projection_id: map, tag_name: 'a tag', ids: [point!.id], operation: 'add' as const, id_field: 'id' };
    const { tag_id } = await invoke('maps.tags.update', tag);
    expect((await invoke('maps.mapTags.get', { tag_id: String(tag_id), project_id })).tag_name).toBe('a tag');
    const sent = await place().api.post('/v1/upload', { files: [{ id: 'f', size: 1, content_type: 'text/plain' }] });
    const { task_id } = await invoke('maps.documents.parse', { file_url: sent.body.files[0].svc_url });
    expect((await invoke('maps.documents.status', { task_id })).status).toEqual(expect.any(String));
  },
);
