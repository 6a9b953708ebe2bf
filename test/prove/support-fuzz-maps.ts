import type { Running } from '../service/running.ts';
import { createMap, createProject } from '../service/world.ts';
import { spares, type Ready } from './support-fuzz.ts';

/** Ids of what stands ready in the maps API. */
export async function prepareMaps({ api, organization }: Running): Promise<Ready> {
  const { project_id, map, job } = await createMap({ api, organization }, 60);
  const { index_id } = (await api.get(`/v1/project/index/job/${job}`)).body;
  const { slug } = (await api.get(`/v1/project/${project_id}`)).body;
  const tag = await api.post('/v1/project/projection/tags/create', {
    project_id,
    projection_id: map,
    tag_name: 'ready',
    tag_definition_id: 'ready',
    dsl_rule: '{"method":"composition","conjunctor":"ALL","filters":[]}',
  });
  const ids = ['row-1', 'row-2', 'row-59'];
  const orders = Array.from({ length: spares }, (_, at) => `spare ${at}`);
  const projects = await Promise.all(orders.map((name) => createProject({ api, organization }, name)));
  const second = await createMap({ api, organization }, 60);
  const { index_id: secondIndex } = (await api.get(`/v1/project/index/job/${second.job}`)).body;
  const tags = await Promise.all(
    orders.map((name) =>
      api.post('/v1/project/projection/tags/create', {
        project_id: second.project_id,
        projection_id: second.map,
        tag_name: name,
        tag_definition_id: name.replace(' ', '-'),
        dsl_rule: '{"method":"composition","conjunctor":"ALL","filters":[]}',
      }),
    ),
  );
  for (const key_name of orders)
    await api.post(`/v1/user/authorization/keys/${organization.organization_id}/create`, {
      organization_id: organization.organization_id,
      key_name,
    });
  const spare = {
    organization_id: [organization.organization_id],
    project_id: [second.project_id, ...projects.map((each) => each.project_id)],
    projection_id: [second.map],
    index_id: [secondIndex],
    tag_id: tags.map(({ body }) => body.tag_id),
    datum_ids: ids,
    key_name: orders,
  };
  const there = {
    organization_id: [organization.organization_id],
    organization_id_or_slug: [organization.slug],
    organization_slug: [organization.slug],
    project_slug: [slug],
    project_id: [project_id],
    dataset_id: [project_id],
    projection_id: [map],
    map_id: [map],
    atlas_index_id: [index_id],
    index_id: [index_id],
    job_id: [job],
    tag_id: [tag.body.tag_id],
    datum_ids: ids,
    atom_ids: ids,
    ids,
    id_field: ['id'],
    field: ['text', 'year'],
    fields: ['id', 'text', 'when'],
    columns: ['id', 'text', 'when'],
    indexed_field: ['text', null],
    model: ['svc-embed-text-v1', null],
    projection: ['SvcProject'],
    qids: ['0-0', '0-7', '0-59'],
    z: ['0'],
    x: ['0'],
    file: ['0.feather', '0.datum_id.feather', '0.text.feather'],
    k: [1, 3],
  };
  return { there: () => there, spare: () => spare };
}
