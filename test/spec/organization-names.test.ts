import { expect } from 'vitest';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

const createOrganization = async (nickname: string): Promise<string> =>
  (await place().calls.invoke('maps.organizations.create', { nickname })).organization_id;

/** What may be changed of an organization, as its members see it. */
async function viewOf(organization_id: string) {
  const view = await place().calls.invoke('maps.organizations.get', { organization_id_or_slug: organization_id });
  const { nickname, slug, description, organization_type, logo_url, website, ai_subprocessor } = view;
  return { nickname, slug, description, organization_type, logo_url, website, ai_subprocessor };
}

const addresses = [
  { path: '/v1/organization/rename', slug: 'moved-by-rename' },
  { path: '/v1/organization/update', slug: 'moved-by-update' },
] as const;

proves(['maps:POST /v1/organization/update.1'], 'an update changes the nickname of an organization, and of no other', async () => {
  const { invoke } = place().calls;
  const [organization_id, other] = [await createOrganization('Before'), await createOrganization('Beside')];
  const before = await viewOf(organization_id);
  await invoke('maps.organizations.update', { organization_id, new_organization_nickname: 'After' });
  expect(await viewOf(organization_id)).toEqual({ ...before, nickname: 'After' });
  expect((await viewOf(other)).nickname).toBe('Beside');
});

proves(['maps:POST /v1/organization/rename.1'], 'a renaming changes the nickname of an organization, and of no other', async () => {
  const [organization_id, other] = [await createOrganization('Former'), await createOrganization('Next')];
  const before = await viewOf(organization_id);
  await place().api.post('/v1/organization/rename', { organization_id, new_organization_nickname: 'Latter' });
  expect(await viewOf(organization_id)).toEqual({ ...before, nickname: 'Latter' });
  expect((await viewOf(other)).nickname).toBe('Next');
});

proves(['maps:versioning/4'], 'rename and update take the same request and have the same effect and answer', async () => {
  const { api } = place();
  const outcomes = [];
  for (const { path, slug } of addresses) {
    const organization_id = await createOrganization('Alias');
    const all = {
      organization_id,
      new_organization_nickname: 'Renamed',
      new_organization_type: 'academic',
      new_organization_description: 'changed',
      new_organization_logo_url: 'https://example.com/logo.png',
      new_organization_website: 'https://example.com',
      ai_subprocessor: 'aws-bedrock',
    };
    const changed = await api.post(path, all);
    const moved = await api.post(path, { organization_id, new_organization_slug: slug });
    const refused = await api.post(path, { organization_id, new_organization_nickname: '' });
    const { slug: now, ...view } = await viewOf(organization_id);
    expect(now).toBe(slug);
    outcomes.push({ view, answers: [changed, moved, refused].map(({ status, body }) => ({ status, body })) });
  }
  expect(outcomes[0]?.view).toMatchObject({ nickname: 'Renamed', organization_type: 'academic', ai_subprocessor: 'aws-bedrock' });
  expect(outcomes[0]?.answers.map(({ status }) => status)).toEqual([200, 200, 422]);
  expect(outcomes[0]).toEqual(outcomes[1]);
});
