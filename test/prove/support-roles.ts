import { ApiError } from '../../client/errors.ts';
import type { InputOf } from '../../client/invoke.ts';
import type { OperationName } from '../../contracts/index.ts';
import { createPlace, named, type MapsOperation, type NamedPlace } from '../service/named-places.ts';
import { callsOf, type World } from '../service/world.ts';

/**
 * What an operation asks of who sends it, said here once more and not taken from the service: nothing (`open`); a key
 * that is for no other organization, and for no dataset (`shown`); a key, of whatever (`known`), or of more than a dataset (`wide`); a member, or an
 * administrator, of the organization; to read, write or keep the dataset.
 */
export type Need = 'open' | 'shown' | 'known' | 'wide' | 'member' | 'admin' | 'read' | 'write' | 'keep';

const of = <N extends Need>(need: N, operations: readonly MapsOperation[]) => operations.map((operation) => [operation, need] as const);

const listed: readonly (readonly [MapsOperation, Need])[] = [
  ...of('open', [
    'maps.health.get',
    'maps.organizations.search',
    'maps.identity.authorize',
    'maps.identity.token',
    'maps.identity.refresh',
  ]),
  ...of('shown', ['maps.organizations.get']),
  ...of('known', ['maps.user.get', 'maps.user.profile', 'maps.identity.logout', 'maps.embedding.text', 'maps.embedding.image']),
  ...of('wide', [
    'maps.projects.list',
    'maps.organizations.create',
    'maps.documents.upload',
    'maps.documents.parse',
    'maps.documents.status',
    'maps.documents.cancel',
  ]),
  ...of('member', [
    'maps.usage.period',
    'maps.usage.recent',
    'maps.usage.withinLimit',
    'maps.keys.list',
    'maps.keys.create',
    'maps.keys.remove',
    'maps.projects.create',
  ]),
  ...of('admin', ['maps.organizations.update', 'maps.members.add', 'maps.members.update', 'maps.members.remove']),
  ...of('read', [
    'maps.projects.get',
    'maps.projects.bySlug',
    'maps.projections.dataset',
    'maps.projections.get',
    'maps.tiles.schema',
    'maps.tiles.manifest',
    'maps.tiles.get',
    'maps.mapTags.get',
    'maps.mapTags.list',
    'maps.mapTags.status',
    'maps.data.get',
    'maps.data.lastModified',
    'maps.data.datums',
    'maps.data.atoms',
    'maps.data.rows',
    'maps.blobs.get',
    'maps.indices.job',
    'maps.indices.progress',
    'maps.indices.status',
    'maps.neighbors.inTiles',
    'maps.neighbors.byId',
    'maps.neighbors.byIdArrow',
    'maps.neighbors.topics',
    'maps.neighbors.byEmbedding',
    'maps.query.select',
    'maps.query.topk',
    'maps.resources.list',
  ]),
  ...of('write', [
    'maps.mapTags.create',
    'maps.mapTags.update',
    'maps.mapTags.mask',
    'maps.mapTags.robotag',
    'maps.mapTags.remove',
    'maps.data.addArrow',
    'maps.data.delete',
    'maps.blobs.add',
    'maps.tags.update',
    'maps.uploads.start',
    'maps.uploads.complete',
    'maps.resources.create',
    'maps.indices.create',
    'maps.indices.update',
    'maps.indices.remove',
  ]),
  ...of('keep', ['maps.projects.update', 'maps.projects.remove']),
];

export const needs: ReadonlyMap<MapsOperation, Need> = new Map(listed);

const nowhere = '00000000-0000-4000-8000-000000000000';

/** Inputs of the operations that name no place. */
const placeless: { [N in MapsOperation]?: InputOf<N> } = {
  'maps.health.get': {},
  'maps.user.get': {},
  'maps.user.profile': {},
  'maps.identity.authorize': {},
  'maps.identity.token': { code: 'none' },
  'maps.identity.refresh': { refresh_token: 'none' },
  'maps.identity.logout': {},
  'maps.embedding.text': { texts: ['ship'] },
  'maps.embedding.image': { images: [new Blob(['no image'])] },
  'maps.documents.upload': { files: [{ id: 'f', size: 1, content_type: 'text/plain' }] },
  'maps.documents.parse': { file_url: 'https://127.0.0.1:9/x' },
  'maps.documents.status': { task_id: nowhere },
  'maps.documents.cancel': { task_id: nowhere },
  'maps.projects.list': {},
  'maps.organizations.create': { nickname: 'of a role' },
  'maps.organizations.search': { slug: 'nobody' },
};

/** Who asks: the key that they have, and what they may. */
export type Principal = { name: string; key: string; may: readonly Need[]; place: NamedPlace };

const everybody: Need[] = ['open'];
const stranger: Need[] = ['open', 'shown', 'known', 'wide'];
const member: Need[] = [...stranger, 'member', 'read', 'write', 'keep'];
const admin: Need[] = [...member, 'admin'];
const ofDataset: Need[] = ['open', 'known'];

type Scene = {
  world: World;
  place: NamedPlace;
  person: (name: string, role?: string) => Promise<{ id: string; key: string }>;
  issue: (more: object) => Promise<string>;
};

/** A place of its own for one principal: whoever may do everything has removed it at the end. */
async function createScene(world: World, at: number): Promise<Scene> {
  const { api } = world;
  const { organization_id } = (await api.post('/v1/organization/create', { nickname: `Scene ${at}` })).body;
  const { slug } = (await api.get(`/v1/organization/${organization_id}`)).body;
  const place = await createPlace(world, { organization_id, slug });
  return {
    world,
    place,
    async person(name, access_role) {
      const { id } = (await api.post('/__control/users', { name: `${name} ${at}`, email: `${name}-${at}@example.com` })).body;
      const { key } = (await api.post('/__control/keys', { service: 'maps', name, user: id })).body;
      if (access_role) await api.post('/v1/organization/members/add', { organization_id, user_id: id, access_role });
      return { id, key };
    },
    issue: async (more) =>
      (await api.post(`/v1/user/authorization/keys/${organization_id}/create`, { key_name: `key ${at}`, ...more })).body.key,
  };
}

const organization = ({ place }: Scene) => ({ key_scope: 'ORGANIZATION', key_target_id: place.organization.organization_id });
const dataset = ({ place }: Scene) => ({ key_scope: 'DATASET', key_target_id: place.project });

/** Everybody who may ask, with what they may. */
const principals: readonly { name: string; may: readonly Need[]; key: (scene: Scene) => Promise<string> }[] = [
  { name: 'nobody', may: everybody, key: async () => '' },
  { name: 'a key that was never made', may: everybody, key: async () => 'nk-never' },
  {
    name: 'a key that was deleted',
    may: everybody,
    async key({ issue, world, place }) {
      const key = await issue({ key_name: 'deleted' });
      const { organization_id } = place.organization;
      await world.api.post(`/v1/user/authorization/keys/${organization_id}/delete`, { key_name: 'deleted' });
      return key;
    },
  },
  { name: 'a user of no other organization', may: stranger, key: async ({ person }) => (await person('stranger')).key },
  {
    name: 'a former administrator',
    may: stranger,
    async key({ person, world, place }) {
      const { id, key } = await person('former', 'ADMIN');
      await world.api.post('/v1/organization/members/delete', { organization_id: place.organization.organization_id, user_id: id });
      return key;
    },
  },
  { name: 'a member', may: member, key: async ({ person }) => (await person('member', 'MEMBER')).key },
  { name: 'an administrator', may: admin, key: async ({ person }) => (await person('admin', 'ADMIN')).key },
  { name: 'an owner', may: admin, key: async ({ person }) => (await person('owner', 'OWNER')).key },
  { name: 'a key of the organization as member', may: member, key: (scene) => scene.issue({ ...organization(scene), key_role: 'MEMBER' }) },
  {
    name: 'a key of the organization as administrator',
    may: admin,
    key: (scene) => scene.issue({ ...organization(scene), key_role: 'ADMIN' }),
  },
  { name: 'a key of the organization as owner', may: admin, key: (scene) => scene.issue({ ...organization(scene), key_role: 'OWNER' }) },
  { name: 'a key of the organization without a role', may: admin, key: (scene) => scene.issue(organization(scene)) },
  { name: 'a key of the user', may: admin, key: ({ issue }) => issue({ key_scope: 'USER' }) },
  {
    name: 'a key of another organization of the user',
    may: ['open', 'known', 'wide'],
    async key({ world }) {
      const { organization_id } = world.organization;
      const path = `/v1/user/authorization/keys/${organization_id}/create`;
      return (await world.api.post(path, { key_name: 'elsewhere', key_scope: 'ORGANIZATION', key_target_id: organization_id })).body.key;
    },
  },
  {
    name: 'a key of the dataset as viewer',
    may: [...ofDataset, 'read'],
    key: (scene) => scene.issue({ ...dataset(scene), key_role: 'VIEWER' }),
  },
  {
    name: 'a key of the dataset as editor',
    may: [...ofDataset, 'read', 'write'],
    key: (scene) => scene.issue({ ...dataset(scene), key_role: 'EDITOR' }),
  },
  {
    name: 'a key of the dataset as administrator',
    may: [...ofDataset, 'read', 'write', 'keep'],
    key: (scene) => scene.issue({ ...dataset(scene), key_role: 'ADMIN' }),
  },
  {
    name: 'a key of another dataset',
    may: ofDataset,
    async key({ world, issue, place }) {
      const { organization_id } = place.organization;
      const { project_id } = (await world.api.post('/v1/project/create', { organization_id, project_name: 'beside' })).body;
      return issue({ key_scope: 'DATASET', key_target_id: project_id, key_role: 'ADMIN' });
    },
  },
];

export const principalNames = principals.map(({ name }) => name);

export async function createPrincipal(world: World, at: number): Promise<Principal> {
  const scene = await createScene(world, at);
  const { name, may, key } = principals[at]!;
  return { name, may, key: await key(scene), place: scene.place };
}

/** The status with which an operation was answered to a key. */
export async function statusOf(world: World, key: string, place: NamedPlace, operation: MapsOperation): Promise<number> {
  const input = named[operation]?.(place) ?? placeless[operation];
  if (input === undefined) throw new Error(`no input for ${operation}`);
  return callsOf(world, key)
    .invoke(operation as OperationName, input as InputOf<OperationName>)
    .then(
      () => 200,
      (error: unknown) => {
        if (error instanceof ApiError) return error.status;
        throw error;
      },
    );
}
