import type { Endpoint } from '../../../contracts/endpoint.ts';
import { maps } from '../../../contracts/maps/index.ts';
import { HttpError } from '../../core/errors.ts';
import type { Records } from '../../core/records/database.ts';
import type { Caller } from '../../core/records/keys.ts';
import { mapOfTag } from '../../core/records/map-tags.ts';
import { findOrganization } from '../../core/records/organizations.ts';
import { projectIdOf, readRows } from '../../engine/datasets/arrow-input.ts';
import { refuseFormer } from '../membership.ts';
import { maySend } from './roles.ts';

/** What names no organization, and is of the one that the key acts for, or on its account. */
const ofOrganization = new Set<string>([maps.documents, maps.embedding].flatMap((group) => Object.values(group).map(({ path }) => path)));

/** 403 for documents and vectors of an organization that the key's user has left. */
export const authorize = (_: Records, caller: Caller, { path }: Endpoint): void => {
  if (ofOrganization.has(path)) refuseFormer(caller);
};

type Fields = Readonly<Record<string, unknown>>;

/** Input fields that name a dataset, and those that name a part of one, with their column in the records. */
const datasetFields = ['project_id', 'dataset_id'] as const;
const partFields = {
  projection_id: 'projection_id',
  map_id: 'projection_id',
  atlas_index_id: 'index_id',
  index_id: 'index_id',
  job_id: 'job_id',
} as const;

const projectsOf = (records: Records, column: (typeof partFields)[keyof typeof partFields], id: string): string[] =>
  records.all<{ project_id: string }>(`SELECT project_id FROM builds WHERE ${column} = ?`, id).map(({ project_id }) => project_id);

/** The datasets that an input names, by whatever id. */
function datasetsOf(records: Records, input: Fields): string[] {
  const named = datasetFields.flatMap((field) => (typeof input[field] === 'string' ? [input[field]] : []));
  const parts = Object.entries(partFields).flatMap(([field, column]) => {
    const id = input[field];
    if (typeof id !== 'string') return [];
    return projectsOf(records, column, id);
  });
  const tag = typeof input['tag_id'] === 'string' ? mapOfTag(records, input['tag_id']) : undefined;
  const tagged = tag === undefined ? [] : projectsOf(records, 'projection_id', tag);
  const slug = (field: string): string => (typeof input[field] === 'string' ? input[field] : '');
  const bySlug = records.get<{ id: string }>(
    'SELECT projects.id FROM projects JOIN organizations ON organizations.id = owner WHERE organizations.slug = ? AND projects.slug = ? AND removed_at IS NULL',
    slug('organization_slug'),
    slug('project_slug'),
  );
  const inBody = input['body'] instanceof Uint8Array ? projectIdOf(readRows(input['body'])) : undefined;
  return [...named, ...parts, ...tagged, ...(bySlug ? [bySlug.id] : []), ...(inBody === undefined ? [] : [inBody])];
}

const organizationFields = ['organization_id', 'organization_id_or_slug', 'organization_slug'] as const;

/** The organizations that an input names, by id or slug; a name that none has stays as it is. */
const organizationsOf = (records: Records, input: Fields): string[] =>
  organizationFields.flatMap((field) => {
    const named = input[field];
    if (typeof named !== 'string') return [];
    return [findOrganization(records, named)?.id ?? named];
  });

/** What a key of one dataset may ask without naming it: who it is of, and vectors of texts and images. */
const ofNoDataset = new Set(['/v1/user/', '/v1/user/profile', '/v1/user/logout', '/v1/embedding/text', '/v1/embedding/image']);

/** What everybody reads who has no key is kept from none. */
const isOpen = (records: Records, { auth }: Endpoint, datasets: readonly string[]): boolean =>
  auth === 'public' &&
  datasets.length > 0 &&
  datasets.every((id) => records.get('SELECT 1 AS open FROM projects WHERE id = ? AND is_public', id) !== undefined);

/**
 * 403 where a key of an organization or of a dataset reaches for something else (maps text, API key creation request), unless that is
 * public and read. A list that names nothing is that of the key's user for a key of an organization (assumption), and refused to a key of a dataset.
 */
export function checkReach(records: Records, { target, role }: Caller, endpoint: Endpoint, input: Fields): void {
  const { path } = endpoint;
  if (target.id === null || target.kind === 'USER') return;
  const refuse = (what: string): never => {
    throw new HttpError(403, `the key is for one ${target.kind === 'DATASET' ? 'dataset' : 'organization'}: ${what}`);
  };
  const datasets = datasetsOf(records, input);
  if (isOpen(records, endpoint, datasets)) return;
  if (target.kind === 'DATASET') {
    // What is of no dataset asks no role of one.
    if (datasets.length === 0) return ofNoDataset.has(path) ? undefined : refuse(`${path} is of more`);
    if (datasets.some((dataset) => dataset !== target.id)) refuse('this is another');
    if (!maySend(role, endpoint)) refuse(`its role is ${role}, which may not do this; use a key of another role`);
    return;
  }
  if (organizationsOf(records, input).some((organization) => organization !== target.id)) refuse('this is another');
  // A key that it makes reaches no further than it does.
  const { key_scope: scope, key_target_id: made } = input;
  if (scope === 'USER') refuse('a key of the user is for all of them');
  if (typeof made === 'string' && scope === 'DATASET') datasets.push(made);
  else if (typeof made === 'string' && made !== target.id) refuse('the new key would be for another');
  for (const dataset of datasets) {
    const project = records.get<{ owner: string }>('SELECT owner FROM projects WHERE id = ?', dataset);
    if (project && project.owner !== target.id) refuse('this dataset is of another');
  }
}
