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

/** Of every operation: one that is new has no row, and no type. */
export const needs: { readonly [N in MapsOperation]: Need } = {
  'maps.health.get': 'open',
  'maps.organizations.search': 'open',
  'maps.identity.authorize': 'open',
  'maps.identity.token': 'open',
  'maps.identity.refresh': 'open',
  'maps.organizations.get': 'shown',
  'maps.user.get': 'known',
  'maps.user.profile': 'known',
  'maps.identity.logout': 'known',
  'maps.embedding.text': 'known',
  'maps.embedding.image': 'known',
  'maps.projects.list': 'wide',
  'maps.organizations.create': 'wide',
  'maps.documents.upload': 'wide',
  'maps.documents.parse': 'wide',
  'maps.documents.status': 'wide',
  'maps.documents.cancel': 'wide',
  'maps.documents.events': 'wide',
  'maps.documents.extract': 'wide',
  'maps.usage.period': 'member',
  'maps.usage.recent': 'member',
  'maps.usage.withinLimit': 'member',
  'maps.keys.list': 'member',
  'maps.keys.create': 'member',
  'maps.keys.remove': 'member',
  'maps.projects.create': 'member',
  'maps.organizations.update': 'admin',
  'maps.members.add': 'admin',
  'maps.members.update': 'admin',
  'maps.members.remove': 'admin',
  'maps.projects.get': 'read',
  'maps.projects.bySlug': 'read',
  'maps.projections.dataset': 'read',
  'maps.projections.get': 'read',
  'maps.tiles.schema': 'read',
  'maps.tiles.manifest': 'read',
  'maps.tiles.get': 'read',
  'maps.mapTags.get': 'read',
  'maps.mapTags.list': 'read',
  'maps.mapTags.status': 'read',
  'maps.data.get': 'read',
  'maps.data.lastModified': 'read',
  'maps.data.datums': 'read',
  'maps.data.atoms': 'read',
  'maps.data.rows': 'read',
  'maps.blobs.get': 'read',
  'maps.indices.job': 'read',
  'maps.indices.progress': 'read',
  'maps.indices.status': 'read',
  'maps.neighbors.inTiles': 'read',
  'maps.neighbors.byId': 'read',
  'maps.neighbors.byIdArrow': 'read',
  'maps.neighbors.topics': 'read',
  'maps.neighbors.byEmbedding': 'read',
  'maps.query.select': 'read',
  'maps.query.topk': 'read',
  'maps.resources.list': 'read',
  'maps.mapTags.create': 'write',
  'maps.mapTags.update': 'write',
  'maps.mapTags.mask': 'write',
  'maps.mapTags.robotag': 'write',
  'maps.mapTags.remove': 'write',
  'maps.data.addArrow': 'write',
  'maps.data.delete': 'write',
  'maps.blobs.add': 'write',
  'maps.tags.update': 'write',
  'maps.uploads.start': 'write',
  'maps.uploads.complete': 'write',
  'maps.resources.create': 'write',
  'maps.indices.create': 'write',
  'maps.indices.update': 'write',
  'maps.indices.remove': 'write',
  'maps.projects.update': 'keep',
  'maps.projects.remove': 'keep',
};

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
  'maps.documents.events': {},
  'maps.documents.extract': { file_urls: ['https://127.0.0.1:9/x'], extraction_schema: {} },
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
