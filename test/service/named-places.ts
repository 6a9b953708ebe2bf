import type { InputOf } from '../../client/invoke.ts';
import type { OperationName } from '../../contracts/index.ts';
import { createMap, shardOf, type World } from './world.ts';

export type MapsOperation = Extract<OperationName, `maps.${string}`>;

/** An organization with a dataset that has a map. */
export type NamedPlace = {
  organization: { organization_id: string; slug: string };
  project: string;
  slug: string;
  map: string;
  index: string;
  job: string;
  tag: string;
};

const tagOf = (project_id: string, projection_id: string) => ({
  project_id,
  projection_id,
  tag_name: 'seen',
  tag_definition_id: 'seen',
  dsl_rule: '{}',
});

/** How each operation names a place; absent where it names none. What takes something away stands last. */
export const named: { [N in MapsOperation]: ((place: NamedPlace) => InputOf<N>) | undefined } = {
  'maps.health.get': undefined,
  'maps.user.get': undefined,
  'maps.user.profile': undefined,
  'maps.identity.authorize': undefined,
  'maps.identity.token': undefined,
  'maps.identity.refresh': undefined,
  'maps.identity.logout': undefined,
  'maps.embedding.text': undefined,
  'maps.embedding.image': undefined,
  'maps.documents.upload': undefined,
  'maps.documents.parse': undefined,
  'maps.documents.status': undefined,
  'maps.documents.events': undefined,
  'maps.documents.extract': undefined,
  'maps.documents.cancel': undefined,
  'maps.projects.list': undefined,
  'maps.organizations.create': undefined,
  'maps.organizations.get': ({ organization }) => ({ organization_id_or_slug: organization.slug }),
  'maps.organizations.search': undefined,
  'maps.organizations.update': ({ organization }) => ({ organization_id: organization.organization_id, new_organization_website: 'x' }),
  'maps.members.add': ({ organization }) => ({ organization_id: organization.organization_id, access_role: 'MEMBER', user_id: 'nobody' }),
  'maps.members.update': ({ organization }) => ({
    organization_id: organization.organization_id,
    access_role: 'MEMBER',
    user_id: 'nobody',
  }),
  'maps.members.remove': ({ organization }) => ({ organization_id: organization.organization_id, user_id: 'nobody' }),
  'maps.usage.period': ({ organization }) => ({ organization_id_or_slug: organization.slug }),
  'maps.usage.recent': ({ organization }) => ({ organization_id_or_slug: organization.slug }),
  'maps.usage.withinLimit': ({ organization }) => ({ organization_id_or_slug: organization.slug, usage_type: 'text_tokens' }),
  'maps.keys.list': ({ organization }) => ({ organization_id: organization.organization_id }),
  'maps.keys.create': ({ organization }) => ({ organization_id: organization.organization_id, key_name: 'further' }),
  'maps.keys.remove': ({ organization }) => ({ organization_id: organization.organization_id, key_name: 'further' }),
  'maps.projects.create': ({ organization }) => ({ organization_id: organization.organization_id, project_name: 'further' }),
  'maps.projects.get': ({ project }) => ({ project_id: project }),
  'maps.projects.bySlug': ({ organization, slug }) => ({ organization_slug: organization.slug, project_slug: slug }),
  'maps.projections.dataset': ({ map }) => ({ map_id: map }),
  'maps.projections.get': ({ project, map }) => ({ project_id: project, projection_id: map }),
  'maps.tiles.schema': ({ map }) => ({ projection_id: map }),
  'maps.tiles.manifest': ({ project, map }) => ({ project_id: project, projection_id: map }),
  'maps.tiles.get': ({ project, map }) => ({ project_id: project, projection_id: map, z: '0', x: '0', file: '0.feather' }),
  'maps.mapTags.create': ({ project, map }) => tagOf(project, map),
  'maps.mapTags.get': ({ tag }) => ({ tag_id: tag }),
  'maps.mapTags.list': ({ project, map }) => ({ project_id: project, projection_id: map }),
  'maps.mapTags.status': ({ project, tag }) => ({ project_id: project, tag_id: tag }),
  'maps.mapTags.update': ({ tag }) => ({ tag_id: tag, tag_name: 'seen' }),
  'maps.mapTags.mask': ({ project }) => ({ body: shardOf(project, 1) }),
  'maps.mapTags.robotag': ({ project, tag }) => ({ project_id: project, tag_id: tag }),
  'maps.data.addArrow': ({ project }) => ({ body: shardOf(project, 20) }),
  'maps.data.get': ({ project }) => ({ project_id: project, datum_ids: ['row-1'] }),
  'maps.data.lastModified': ({ project }) => ({ dataset_id: project }),
  'maps.data.datums': ({ map }) => ({ map_id: map, qids: ['0-1'], response_type: 'json' }),
  'maps.blobs.add': ({ project }) => ({ dataset_id: project, blobs: [new Blob(['x'])] }),
  'maps.data.atoms': ({ project, index }) => ({ project_id: project, index_id: index, atom_ids: ['row-1'] }),
  'maps.blobs.get': ({ project }) => ({ dataset_id: project, blob_hash: 'none' }),
  'maps.indices.job': ({ job }) => ({ job_id: job }),
  'maps.indices.progress': ({ index }) => ({ index_id: index }),
  'maps.indices.status': ({ index }) => ({ index_id: index }),
  'maps.data.rows': ({ project }) => ({ dataset_id: project }),
  'maps.neighbors.inTiles': ({ project, map }) => ({ project_id: project, projection_id: map, tiles: ['0/0/0'], tix: 0, rix: 0 }),
  'maps.neighbors.byId': ({ index }) => ({ atlas_index_id: index, datum_ids: ['row-1'] }),
  'maps.neighbors.byIdArrow': ({ index }) => ({ atlas_index_id: index, datum_ids: ['row-1'] }),
  'maps.neighbors.topics': ({ index }) => ({ atlas_index_id: index, queries: [[1]] }),
  'maps.neighbors.byEmbedding': ({ index }) => ({ atlas_index_id: index, queries: [[1]] }),
  'maps.query.select': ({ map }) => ({ projection_id: map, selection: { method: 'composition', conjunctor: 'ALL', filters: [] } }),
  'maps.query.topk': ({ map }) => ({ projection_id: map, k: 1, fields: ['id'], query: [1] }),
  'maps.tags.update': ({ map }) => ({ projection_id: map, tag_name: 't', ids: ['row-1'], operation: 'add', id_field: 'id' }),
  'maps.uploads.start': ({ project }) => ({ dataset_id: project, file_type: 'feather', file_size: 10 }),
  'maps.uploads.complete': ({ project }) => ({
    dataset_id: project,
    upload_id: 'none',
    object_id: 'none',
    part_etags: [{ part_number: 1, etag: '"x"' }],
    file_type: 'feather',
  }),
  'maps.mapTags.remove': ({ project, tag }) => ({ project_id: project, tag_id: tag }),
  'maps.resources.list': ({ project }) => ({ project_id: project }),
  'maps.resources.create': ({ project }) => ({
    project_id: project,
    resources: [{ resource_type: 'DATASET_CHECKPOINT', ref: 'rows', dataset_id: project }],
  }),
  'maps.data.delete': ({ project }) => ({ project_id: project, datum_ids: ['row-1'] }),
  'maps.indices.create': ({ project }) => ({
    project_id: project,
    indexed_field: null,
    model: null,
    nearest_neighbor_index: null,
    projection: 'SvcProject',
    projection_hyperparameters: '{"model":"random"}',
  }),
  'maps.indices.update': ({ project }) => ({ project_id: project }),
  'maps.indices.remove': ({ project, index }) => ({ project_id: project, index_id: index }),
  'maps.projects.update': ({ project }) => ({ project_id: project, id: project, description: 'said' }),
  'maps.projects.remove': ({ project }) => ({ project_id: project }),
};
export const mapsOperations = Object.keys(named) as MapsOperation[];

/** Makes one in an organization. */
export const createPlace = async ({ api }: Pick<World, 'api'>, organization: NamedPlace['organization']): Promise<NamedPlace> => {
  const { project_id: project, map, job } = await createMap({ api, organization }, 30);
  const { slug } = (await api.get(`/v1/project/${project}`)).body;
  const { index_id: index } = (await api.get(`/v1/project/index/job/${job}`)).body;
  const { tag_id: tag } = (await api.post('/v1/project/projection/tags/create', tagOf(project, map))).body;
  return { organization, project, slug, map, index, job, tag };
};
