import { expect } from 'vitest';
import { usePlace, watchedCalls } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

proves(['maps:endpoints/1'], 'the paths of operations go on from the base URL, whatever path that ends in', async () => {
  const { service, organization } = place();
  for (const path of ['', '/', '/maps', '/behind/a/gateway/']) {
    const { invoke, sent } = watchedCalls(place(), path);
    await invoke('maps.health.get', {});
    await invoke('maps.keys.list', { organization_id: organization.organization_id });
    await invoke('maps.usage.recent', { organization_id_or_slug: organization.slug });
    const base = `${service.url}${path.replace(/\/$/, '')}`;
    expect(sent.map(({ url }) => url.replace(/\?.*/, ''))).toEqual([
      `${base}/v1/health/`,
      `${base}/v1/user/authorization/keys/${organization.organization_id}`,
      `${base}/v1/organization/${organization.slug}/usage`,
    ]);
  }
});

/** Requests that change something, with their fields. */
const requests = (organization_id: string): { path: string; fields: Record<string, string> }[] => [
  { path: '/v1/organization/create', fields: { nickname: 'from a body' } },
  { path: '/v1/project/create', fields: { organization_id, project_name: 'from a body' } },
  { path: '/v1/organization/update', fields: { organization_id, new_organization_website: 'https://example.com' } },
  { path: `/v1/user/authorization/keys/${organization_id}/create`, fields: { key_name: 'from a body' } },
  { path: `/v1/user/authorization/keys/${organization_id}/delete`, fields: { key_name: 'from a body' } },
];

proves(['maps:endpoints/2'], 'a body is JSON, of a request as of its answer, and nothing else is taken for one', async () => {
  const { api, organization } = place();
  for (const { path, fields } of requests(organization.organization_id)) {
    const form = new TextEncoder().encode(new URLSearchParams(fields).toString());
    for (const type of ['application/x-www-form-urlencoded', 'application/json'])
      expect(await api.send('POST', path, form, { 'content-type': type }), path).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body'], type: 'json_invalid' }] },
      });
    const { status, headers, body } = await api.post(path, fields);
    expect([path, status < 300, headers.get('content-type')]).toEqual([path, true, 'application/json']);
    expect(body, path).toEqual(expect.any(Object));
  }
});

proves(['maps:endpoints/2'], 'the client sends JSON and says so', async () => {
  const { invoke, sent } = watchedCalls(place());
  const { organization_id } = await invoke('maps.organizations.create', { nickname: 'JSON' });
  await invoke('maps.projects.create', { organization_id, project_name: 'JSON' });
  for (const { headers } of sent) expect(headers['content-type']).toBe('application/json');
  expect(sent.map(({ body }) => (typeof body === 'string' ? JSON.parse(body) : body))).toMatchObject([
    { nickname: 'JSON' },
    { organization_id, project_name: 'JSON' },
  ]);
});
