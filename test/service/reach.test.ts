import { expect, test } from 'vitest';
import { ApiError } from '../../client/errors.ts';
import type { OperationName } from '../../contracts/index.ts';
import { createPlace, mapsOperations, named, type MapsOperation, type NamedPlace } from './named-places.ts';
import { callsOf, createWorld, type World } from './world.ts';

/** The operations that a key is refused by 403 at a place. */
async function refused(world: World, key: string, place: NamedPlace): Promise<MapsOperation[]> {
  const { invoke } = callsOf(world, key);
  const found: MapsOperation[] = [];
  for (const operation of mapsOperations) {
    const input = named[operation]?.(place);
    if (input === undefined) continue;
    const status = await invoke(operation as OperationName, input).then(
      () => 200,
      (error: unknown) => {
        if (error instanceof ApiError) return error.status;
        throw error;
      },
    );
    if (status === 403) found.push(operation);
  }
  return found;
}

const issue = async (world: World, organization: string, name: string, more: object = {}): Promise<string> =>
  (await world.api.post(`/v1/user/authorization/keys/${organization}/create`, { key_name: name, ...more })).body.key;

const all = mapsOperations.filter((operation) => named[operation] !== undefined);

test('no operation reaches from a key of an organization into another of its user, by id or by slug', async () => {
  await using world = await createWorld();
  await world.service.listen();
  const { organization_id } = (await world.api.post('/v1/organization/create', { nickname: 'elsewhere' })).body;
  const there = await createPlace(world, { organization_id, slug: 'elsewhere' });
  const home = await issue(world, world.organization.organization_id, 'home');
  expect(await refused(world, home, there)).toEqual(all);
  const { invoke } = callsOf(world, home);
  for (const organization_id_or_slug of [organization_id, organization_id.toUpperCase()])
    await expect(invoke('maps.organizations.get', { organization_id_or_slug })).rejects.toMatchObject({ status: 403 });
  expect(await refused(world, await issue(world, organization_id, 'its own'), there)).toEqual([]);
});

/** How many texts were embedded on the account of an organization, by model. */
const embedded = async ({ api }: Pick<World, 'api'>, organization: string): Promise<number[]> => {
  const { body } = await api.get(`/v1/organization/${organization}/usage`);
  return body.embedding_models.map(({ num_embeddings }: { num_embeddings: number }) => num_embeddings);
};

test('a key acts for the organization that is its target, or owns its dataset, wherever it was made', async () => {
  await using world = await createWorld();
  await world.service.listen();
  const here = world.organization.organization_id;
  const { organization_id: there } = (await world.api.post('/v1/organization/create', { nickname: 'elsewhere' })).body;
  const { project_id } = (await world.api.post('/v1/project/create', { organization_id: there, project_name: 'its own' })).body;
  const whole = callsOf(world, world.service.adminKeys.maps);
  const parse = async ({ invoke }: typeof whole): Promise<string> => {
    const { files } = await invoke('maps.documents.upload', { files: [{ id: 'plan.txt', size: 4, content_type: 'text/plain' }] });
    return (await invoke('maps.documents.parse', { file_url: files[0]!.svc_url! })).task_id;
  };
  const tasks = async ({ invoke }: typeof whole): Promise<string[]> =>
    (await invoke('maps.documents.events', {})).events.map(({ task_id }) => task_id);
  const ofHere = await parse(whole);
  const ofThere = await parse(callsOf(world, await issue(world, there, 'its own')));

  const aimed = callsOf(world, await issue(world, here, 'aimed', { key_scope: 'ORGANIZATION', key_target_id: there }));
  expect(await tasks(aimed)).toEqual([ofThere]);
  await expect(aimed.invoke('maps.documents.status', { task_id: ofHere })).rejects.toMatchObject({ status: 404 });
  await aimed.invoke('maps.embedding.text', { texts: ['a'] });
  const dataset = callsOf(world, await issue(world, here, 'dataset', { key_scope: 'DATASET', key_target_id: project_id }));
  await dataset.invoke('maps.embedding.text', { texts: ['a', 'b'] });
  expect([await embedded(world, here), await embedded(world, there)]).toEqual([[], [3]]);
  // Where it was made it is listed.
  const { keys } = await whole.invoke('maps.keys.list', { organization_id: here });
  expect(keys.map(({ key_name }) => key_name)).toEqual(expect.arrayContaining(['aimed', 'dataset']));
});

/** What needs more than a dataset, whatever its key's role is. */
const ofOrganization: MapsOperation[] = [
  'maps.organizations.get',
  'maps.organizations.update',
  'maps.members.add',
  'maps.members.update',
  'maps.members.remove',
  'maps.usage.period',
  'maps.usage.recent',
  'maps.usage.withinLimit',
  'maps.keys.list',
  'maps.keys.create',
  'maps.keys.remove',
  'maps.projects.create',
];
const writing: MapsOperation[] = [
  'maps.mapTags.create',
  'maps.mapTags.update',
  'maps.mapTags.mask',
  'maps.mapTags.robotag',
  'maps.data.addArrow',
  'maps.blobs.add',
  'maps.tags.update',
  'maps.uploads.start',
  'maps.uploads.complete',
  'maps.mapTags.remove',
  'maps.resources.create',
  'maps.data.delete',
  'maps.indices.create',
  'maps.indices.update',
  'maps.indices.remove',
];
const administering: MapsOperation[] = ['maps.projects.update', 'maps.projects.remove'];

test('a key of a dataset does what its role says: a viewer reads, an editor writes, an administrator removes', async () => {
  await using world = await createWorld();
  await world.service.listen();
  const here = await createPlace(world, world.organization);
  const dataset = { key_scope: 'DATASET', key_target_id: here.project };
  const keyOf = (key_role: string) => issue(world, world.organization.organization_id, key_role, { ...dataset, key_role });
  const effects = async (): Promise<number> => (await world.api.get('/__control/journal')).body.rows.length;
  const viewer = await keyOf('VIEWER');
  const before = await effects();
  expect(await refused(world, viewer, here)).toEqual([...ofOrganization, ...writing, ...administering]);
  expect(await effects()).toBe(before);
  expect(await refused(world, await keyOf('EDITOR'), here)).toEqual([...ofOrganization, ...administering]);
  expect(await refused(world, await keyOf('ADMIN'), here)).toEqual(ofOrganization);
});

test('a viewer of a dataset logs out, and a stranger learns nothing of what is wrong with a mask', async () => {
  await using world = await createWorld();
  await world.service.listen();
  const { organization_id } = (await world.api.post('/v1/organization/create', { nickname: 'closed' })).body;
  const here = await createPlace(world, { organization_id, slug: 'closed' });
  const dataset = { key_scope: 'DATASET', key_target_id: here.project };
  const viewer = await issue(world, organization_id, 'viewer', { ...dataset, key_role: 'VIEWER' });
  await callsOf(world, viewer).invoke('maps.identity.logout', {});
  const { id: user } = (await world.api.post('/__control/users', { name: 'stranger', email: 'stranger@example.com' })).body;
  const { key } = (await world.api.post('/__control/keys', { service: 'maps', name: 'stranger', user })).body;
  const mask = named['maps.mapTags.mask']!(here);
  await expect(callsOf(world, key).invoke('maps.mapTags.mask', mask)).rejects.toMatchObject({ status: 403 });
  await expect(callsOf(world, world.service.adminKeys.maps).invoke('maps.mapTags.mask', mask)).rejects.toMatchObject({ status: 422 });
});
