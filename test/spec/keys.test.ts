import { expect } from 'vitest';
import type { Calls } from '../../client/invoke.ts';
import { isAllowed, makeKey, refusalOf, usePlace, type Place } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();

type Datasets = Record<'one' | 'two' | 'abroad', string>;

/** Two organizations of the owner: the first with two datasets, the second with one. */
async function createDatasets({ calls, organization }: Place): Promise<{ abroad: string; datasets: Datasets }> {
  const { organization_id: abroad } = await calls.invoke('maps.organizations.create', { nickname: 'abroad' });
  const create = async (organization_id: string, project_name: string): Promise<string> =>
    (await calls.invoke('maps.projects.create', { organization_id, project_name })).project_id;
  const home = organization.organization_id;
  return { abroad, datasets: { one: await create(home, 'one'), two: await create(home, 'two'), abroad: await create(abroad, 'abroad') } };
}

/** The datasets that a key reads. */
async function reachOf({ invoke }: Calls, datasets: Datasets): Promise<string[]> {
  const found: string[] = [];
  for (const [name, project_id] of Object.entries(datasets))
    if (await isAllowed(invoke('maps.projects.get', { project_id }))) found.push(name);
  return found;
}

proves(
  ['maps:api-key-creation-request/3'],
  'a key of which nothing but the name is said is for the organization in which it is made',
  async () => {
    const { abroad, datasets } = await createDatasets(place());
    expect(await reachOf(await makeKey(place(), { key_name: 'at home' }), datasets)).toEqual(['one', 'two']);
    expect(await reachOf(await makeKey(place(), { key_name: 'not at home', organization_id: abroad }), datasets)).toEqual(['abroad']);
  },
);

proves(
  ['maps:api-key-creation-request/4'],
  'a key of scope ORGANIZATION is for the organization that is its target, wherever it was made',
  async () => {
    const { abroad, datasets } = await createDatasets(place());
    const key = await makeKey(place(), { key_name: 'there', key_scope: 'ORGANIZATION', key_target_id: abroad });
    expect(await reachOf(key, datasets)).toEqual(['abroad']);
  },
);

proves(['maps:api-key-creation-request/5'], 'a key of scope DATASET is for the dataset that is its target', async () => {
  const { datasets } = await createDatasets(place());
  const key = await makeKey(place(), { key_name: 'second', key_scope: 'DATASET', key_target_id: datasets.two });
  expect(await reachOf(key, datasets)).toEqual(['two']);
});

proves(['maps:api-key-creation-request/6'], 'a key of scope USER needs no target and is for all that its user has', async () => {
  const { datasets } = await createDatasets(place());
  const key = await makeKey(place(), { key_name: 'everywhere', key_scope: 'USER' });
  expect(await reachOf(key, datasets)).toEqual(['one', 'two', 'abroad']);
});

proves(
  ['maps:api-key-creation-request/key_target_id', 'maps:api-key-creation-request/2'],
  'the target of a key is the uuid of what its scope names, an organization or a dataset',
  async () => {
    const { api, calls, organization } = place();
    const { organization_id } = organization;
    const { datasets } = await createDatasets(place());
    const make = (more: object) => api.post(`/v1/user/authorization/keys/${organization_id}/create`, { key_name: 'aimed', ...more });
    for (const key_target_id of ['one', organization.slug, 7])
      expect(await make({ key_scope: 'DATASET', key_target_id })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'key_target_id'] }] },
      });
    expect((await make({ key_scope: 'DATASET', key_target_id: organization_id })).status).toBe(404);
    expect((await make({ key_scope: 'ORGANIZATION', key_target_id: datasets.one })).status).toBe(403);
    await calls.invoke('maps.keys.create', { organization_id, key_name: 'untargeted', key_target_id: null });
  },
);

proves(['maps:api-key-creation-request/key_name'], 'a key is made under a name, by which it is listed and deleted', async () => {
  const { api, calls, organization } = place();
  const { organization_id } = organization;
  for (const key_name of [undefined, null, 7])
    expect(await api.post(`/v1/user/authorization/keys/${organization_id}/create`, { key_name })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'key_name'] }] },
    });
  const names = async (): Promise<string[]> =>
    (await calls.invoke('maps.keys.list', { organization_id })).keys.map(({ key_name }) => key_name);
  await makeKey(place(), { key_name: 'night shift' });
  expect(await names()).toContain('night shift');
  await calls.invoke('maps.keys.remove', { organization_id, key_name: 'night shift' });
  expect(await names()).not.toContain('night shift');
});

proves(
  ['maps:api-key-creation-request/1', 'maps:api-key-creation-request/1#key', 'maps:api-key-creation-request/1#200'],
  'the answer to a creation is a 200 that holds the key itself, another one each time',
  async () => {
    const { api, organization, withKey } = place();
    const create = async (key_name: string) => {
      const answer = await api.post(`/v1/user/authorization/keys/${organization.organization_id}/create`, { key_name });
      expect(answer.status).toBe(200);
      return answer.body as { key: unknown };
    };
    const made = [await create('once'), await create('again')].map(({ key }) => String(key));
    expect(new Set(made).size).toBe(2);
    for (const key of made) await withKey(key).invoke('maps.user.get', {});
    expect((await refusalOf(withKey(`${made[0]}x`).invoke('maps.user.get', {}))).status).toBe(401);
  },
);
