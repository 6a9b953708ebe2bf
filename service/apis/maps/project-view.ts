import type { z } from 'zod';
import type { project as projectContract } from '../../../contracts/maps/projects.ts';
import { schemaMessage, schemaOf } from '../../engine/datasets/arrow-output.ts';
import type { DatasetState } from '../../engine/datasets/dataset.ts';
import { isBuilding } from '../../engine/datasets/schema.ts';
import { umapSettings } from '../../engine/projection/settings.ts';
import type { IndexRow } from '../../engine/datasets/schema.ts';
import type { Pictures } from '../../engine/resources/store.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import type { Records } from '../../core/records/database.ts';
import type { OrganizationRow } from '../../core/records/organizations.ts';
import type { ProjectRow } from '../../core/records/projects.ts';

const scopes = ['administration', 'metadata', 'data', 'members', 'tags']
  .flatMap((area) => [`${area}:read`, `${area}:write`])
  .concat('data:add', 'data:delete', 'resource:create', 'resource:delete');
/** Members may do everything, others read what is public. */
const permissionsOf = (member: boolean) =>
  Object.fromEntries(scopes.map((scope) => [`dataset:${scope}`, member || scope.endsWith(':read')]));

const options = (index: IndexRow): Record<string, unknown> => JSON.parse(index.options) as Record<string, unknown>;
const object = (json: unknown): object => {
  try {
    const value: unknown = typeof json === 'string' ? JSON.parse(json) : {};
    return value !== null && typeof value === 'object' ? value : {};
  } catch {
    return {};
  }
};

const indexView = (projectId: string, index: IndexRow, pictures: Pictures) => {
  const ready = index.stage === 'Completed';
  const asked = options(index);
  const updated = index.ended_at ?? index.started_at ?? index.created_at;
  const atoms = ['document'];
  return {
    id: index.index_id,
    project_id: projectId,
    index_name: index.index_name,
    indexed_field: index.indexed_field,
    created_timestamp: index.created_at,
    updated_timestamp: updated,
    atoms,
    colorable_fields: asked['colorable_fields'] ?? [],
    embedders:
      index.model === null
        ? []
        : [
            {
              id: index.index_id,
              atlas_index_id: index.index_id,
              ready,
              model_name: index.model,
              hyperparameters: object(asked['model_hyperparameters']),
            },
          ],
    nearest_neighbor_indices:
      index.dimensions === null
        ? []
        : [
            {
              id: index.index_id,
              index_name: asked['nearest_neighbor_index'] ?? 'exact',
              ready,
              hyperparameters: object(asked['nearest_neighbor_index_hyperparameters']),
              atom_strategies: atoms,
            },
          ],
    projections: [
      {
        id: index.projection_id,
        projection_name: index.index_name,
        ready,
        hyperparameters: object(asked['projection_hyperparameters']),
        atom_strategies: atoms,
        created_timestamp: index.created_at,
        updated_timestamp: updated,
        thumbnail: '',
        og_image: pictures.get(index.projection_id) ?? '',
      },
    ],
  };
};

/** How the points of a map got their places. */
export const algorithmOf = ({ dimensions, options: asked }: IndexRow): string => {
  const { algorithm } = JSON.parse(asked) as { algorithm?: string };
  return algorithm ?? (dimensions === null ? 'random' : umapSettings(asked) === null ? 'pca' : 'umap');
};

const mapView = (index: IndexRow, silent: boolean) => ({
  map_id: index.projection_id,
  projection_id: index.projection_id,
  created_timestamp: index.created_at,
  modified_timestamp: index.ended_at ?? index.started_at ?? index.created_at,
  ready: index.stage === 'Completed',
  error: silent ? null : index.error,
  primary_projection_algorithm: algorithmOf(index),
  total_data_points: isBuilding(index) ? null : index.rows,
});

const modality = (record: ProjectRow, { columns }: DatasetState): string | null =>
  columns.length === 0
    ? record.modality
    : columns.some(({ type }) => type === 'vector')
      ? 'embedding'
      : columns.some(({ name }) => name === '_blob_hash')
        ? 'image'
        : 'text';

/** A project as answered: its record, and what its dataset knows of rows, columns and indices. */
export const projectView = (
  records: Records,
  record: ProjectRow,
  facts: DatasetState,
  readings: ServiceReadings,
  member: boolean,
  pictures: Pictures,
): z.input<typeof projectContract> => {
  const organization = records.get<OrganizationRow>('SELECT * FROM organizations WHERE id = ?', record.owner)!;
  // A column of ids that the service made itself is no field of the dataset's own: clients take one that they see for configured.
  const columns = facts.columns.filter(({ name }) => record.unique_id_field !== null || name !== facts.idField);
  const creator = records.get<{ nickname: string }>('SELECT nickname FROM users WHERE id = ?', record.creator)!;
  return {
    id: record.id,
    owner: record.owner,
    project_name: record.project_name,
    creator: record.creator,
    description: record.description,
    slug: record.slug,
    organization_slug: organization.slug,
    organization_name: organization.nickname,
    creator_nickname: creator.nickname,
    creator_picture: null,
    og_image: [...pictures.values()].at(-1) ?? null,
    is_public: record.is_public === 1,
    is_public_to_org: record.is_public_to_org === 1,
    privacy: record.privacy,
    unique_id_field: record.unique_id_field,
    modality: modality(record, facts),
    project_fields: columns.map(({ name }) => name),
    total_datums_in_project: facts.rows,
    insert_update_delete_lock: facts.locked,
    schema: facts.columns.length === 0 ? null : schemaMessage(schemaOf(columns)).toString('base64'),
    created_timestamp: record.created_at,
    access_role: member ? 'ADMIN' : 'VIEWER',
    permissions: permissionsOf(member),
    analyst_info: { billed_organization_id: record.owner, ai_subprocessor: 'openai', remaining_queries: 0 },
    atlas_indices: facts.indices.map((index) => indexView(record.id, index, pictures)),
    maps: facts.indices.map((index) => mapView(index, readings.of('failed-build') === 'silent')),
  };
};
