import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { name } from '../name.ts';
import { onlyOne } from '../lookup.ts';
import type { Ask } from '../endpoint.ts';
import { get as organization } from './organizations.ts';
import { acknowledged, flag, id, listed, orElse } from './common.ts';

const projection = z.looseObject({
  id: z.string(),
  projection_name: z.string().nullish(),
  ready: flag,
  created_timestamp: z.string().nullish(),
  updated_timestamp: z.string().nullish(),
});

/** An index with its maps, as a project lists it. */
const atlasIndex = z.looseObject({
  id: z.string(),
  index_name: z.string().nullish(),
  indexed_field: z.string().nullish(),
  created_timestamp: z.string().nullish(),
  projections: listed(projection),
});

export const mapView = z.looseObject({
  projection_id: z.string().nullish(),
  ready: flag,
  error: z.string().nullish(),
  total_data_points: z.int().nullish(),
});

/** A project is a dataset: `project_id` and `dataset_id` name the same thing. */
export const project = z.looseObject({
  id: z.string(),
  owner: z.string(),
  project_name: z.string(),
  slug: z.string(),
  organization_slug: z.string().nullish(),
  organization_name: z.string().nullish(),
  description: z.string().nullish(),
  is_public: z.boolean().nullish(),
  unique_id_field: z.string().nullish(),
  modality: z.string().nullish(),
  project_fields: listed(z.string()),
  /** Null where the service does not count them. */
  total_datums_in_project: z
    .int()
    .nullish()
    .transform((count) => count ?? 0),
  insert_update_delete_lock: flag,
  /** Base64 of one Arrow IPC schema message; null before the first upload. */
  schema: z.string().nullish(),
  created_timestamp: z.string().nullish(),
  atlas_indices: listed(atlasIndex),
  maps: listed(mapView),
});

export const get = defineEndpoint({
  method: 'GET',
  path: '/v1/project/{project_id}',
  summary: 'One dataset with its indices and maps.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.object({ project_id: id }),
  output: project,
});

export const list = defineEndpoint({
  method: 'GET',
  path: '/v1/project/',
  former: ['/v1/project/sidebar/list'],
  summary: "The caller's datasets.",
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.strictObject({}),
  output: z.looseObject({ projects: z.array(z.looseObject({ id: z.string(), project_name: z.string(), slug: z.string() })) }),
});

type Listed = { id: string; project_name?: string | null | undefined; slug?: string | null | undefined };

/** Datasets of one page of an organization. */
const pageSize = 100;

/** Reads of an organization that show so many datasets: page after page, the last of which brings nothing new. */
export const pagesOf = (datasets: number): number => Math.ceil(datasets / pageSize) + 1;

/**
 * The datasets that the caller sees, those of an organization among them whatever their number: the list of all may be a first page
 * (assumption `project-list`), and the organization's read goes on by `offset_number` until a page brings nothing new.
 */
export async function datasetsOf(organization_id: string, ask: Ask): Promise<Listed[]> {
  const all = (await ask(list, {})).projects.map((each) => [each.id, each] as const);
  return [...new Map<string, Listed>([...all, ...(await datasetsIn(organization_id, ask))]).values()];
}

/** The datasets of an organization by id, page after page. */
export async function datasetsIn(organization_id: string, ask: Ask): Promise<ReadonlyMap<string, Listed>> {
  const found = new Map<string, Listed>();
  for (let known = -1; found.size > known;) {
    known = found.size;
    const page = { organization_id_or_slug: organization_id, offset_number: known, limit: pageSize };
    for (const each of (await ask(organization, page)).projects) found.set(each.id, each);
  }
  return found;
}

type Named = { project_name: string; organization_id: string };

const namesakes = async ({ project_name: name, organization_id }: Named, ask: Ask): Promise<string[]> =>
  (await datasetsOf(organization_id, ask)).filter(({ project_name }) => project_name === name).map(({ id }) => id);

/** Datasets of that name in that organization which were not there before. */
async function madeSince(named: Named, before: readonly string[], ask: Ask) {
  const made = [];
  for (const project_id of await namesakes(named, ask)) {
    if (before.includes(project_id)) continue;
    const { owner, slug } = await ask(get, { project_id });
    if (owner === named.organization_id) made.push({ project_id, slug });
  }
  return made;
}

/** Creating twice makes two datasets with different slugs: a lost answer is looked up among the datasets of that name that were not there before. */
export const create = defineEndpoint({
  method: 'POST',
  path: '/v1/project/create',
  summary: 'Create a dataset in an organization.',
  effect: 'reconcile',
  lookup: {
    before: namesakes,
    find: async (input, before, ask) => onlyOne(await madeSince(input, before, ask), 'datasets', (answer) => answer),
    made: async (input, before, ask) => (await madeSince(input, before, ask)).map(({ project_id }) => project_id),
  },
  limit: 'maps/write',
  status: 201,
  input: z.strictObject({
    organization_id: id,
    project_name: name,
    description: orElse(z.string(), ''),
    is_public: flag,
    is_public_to_org: z.boolean().nullish(),
    slug: name.nullish(),
    privacy: z.enum(['public', 'with_link', 'private', 'restricted']).nullish(),
    unique_id_field: z.string().min(1).nullish(),
    modality: z.string().nullish(),
  }),
  output: z.looseObject({ project_id: z.string(), slug: z.string() }),
});

export const bySlug = defineEndpoint({
  method: 'GET',
  path: '/v1/project/{organization_slug}/{project_slug}',
  summary: 'One dataset by the slugs of its organization and its own.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.object({ organization_slug: z.string().min(1), project_slug: z.string().min(1) }),
  output: project,
});

export const update = defineEndpoint({
  method: 'POST',
  path: '/v1/project/update',
  former: ['/v1/project/update/{project_id}'],
  summary: 'Change name, description or privacy of a dataset.',
  effect: 'idempotent',
  limit: 'maps/write',
  status: 200,
  query: { project_id: 'text' },
  input: z.strictObject({
    project_id: id,
    id,
    project_name: name.nullish(),
    description: z.string().nullish(),
    is_public: z.boolean().nullish(),
    is_public_to_org: z.boolean().nullish(),
    slug: name.nullish(),
    privacy: z.enum(['public', 'with_link', 'private', 'restricted']).nullish(),
  }),
  output: acknowledged,
});

/** Its id and its organization, where the caller's list shows it. */
const listedAs = async ({ project_id }: { project_id: string }, ask: Ask): Promise<string[]> =>
  (await ask(list, {})).projects.some(({ id }) => id === project_id) ? [project_id, (await ask(get, { project_id })).owner] : [];

/**
 * Whether a second removal is refused is not said, and a 404 may as well be a wrong id: that a lost one was carried out shows by
 * the dataset, which was in the caller's list before. The name may stay taken until the background deletion ends.
 */
export const remove = defineEndpoint({
  method: 'POST',
  path: '/v1/project/remove',
  summary: 'Remove a dataset with all its maps.',
  effect: 'reconcile',
  lookup: {
    before: listedAs,
    async find({ project_id }, [, owner], ask) {
      const gone = owner !== undefined && (await datasetsOf(owner, ask)).every(({ id }) => id !== project_id);
      return gone ? { answer: { result: 'ok' } } : 'absent';
    },
  },
  irreversible: true,
  limit: 'maps/write',
  status: 200,
  input: z.strictObject({ project_id: id }),
  output: acknowledged,
});
