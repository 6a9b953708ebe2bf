import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { name } from '../name.ts';
import { onlyOne } from '../lookup.ts';
import type { Ask } from '../endpoint.ts';
import { acknowledged, id, listed, orElse } from './common.ts';
import { get as user } from './user.ts';

const namesakes = async (nickname: string, ask: Ask): Promise<string[]> =>
  (await ask(user, {})).organizations.filter((each) => each.nickname === nickname).map(({ organization_id }) => organization_id);

const madeSince = async (nickname: string, before: readonly string[], ask: Ask): Promise<string[]> =>
  (await namesakes(nickname, ask)).filter((organization) => !before.includes(organization));

const organizationType = z.enum(['personal', 'company', 'academic']);

/** The creator becomes the owner, on the free tier. A name may be used twice, so a lost answer is looked up among the caller's organizations. */
export const create = defineEndpoint({
  method: 'POST',
  path: '/v1/organization/create',
  summary: 'Create an organization with the caller as owner.',
  effect: 'reconcile',
  lookup: {
    before: ({ nickname }, ask) => namesakes(nickname, ask),
    find: async ({ nickname }, before, ask) =>
      onlyOne(await madeSince(nickname, before, ask), 'organizations', (organization_id) => ({ organization_id })),
    made: ({ nickname }, before, ask) => madeSince(nickname, before, ask),
  },
  limit: 'maps/write',
  status: 201,
  input: z.strictObject({
    nickname: name,
    description: z.string().nullish(),
    logo_url: z.string().nullish(),
    website: z.string().nullish(),
    organization_type: orElse(organizationType, 'personal' as const),
  }),
  output: z.looseObject({ organization_id: z.string() }),
});

/** `user_id` and `access_role` of who belongs to an organization. */
const member = z.looseObject({
  user_id: z.string(),
  nickname: z.string().nullish(),
  email: z.string().nullish(),
  access_role: z.string().nullish(),
});

/**
 * By id or slug. Detail goes by who asks (maps text): members see members, plan and type; others the public projects alone (assumption),
 * and no `members` at all.
 */
export const get = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/{organization_id_or_slug}',
  summary: 'One organization with its datasets.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  query: { offset_number: 'number', limit: 'number' },
  page: { by: 'offset', offset: 'offset_number', limit: 'limit', size: 100, items: 'projects' },
  input: z.strictObject({
    organization_id_or_slug: z.string().min(1),
    offset_number: z.int().min(0).default(0),
    limit: z.int().min(1).nullish(),
  }),
  output: z.looseObject({
    id: z.string(),
    slug: z.string().nullish(),
    nickname: z.string().nullish(),
    description: z.string().nullish(),
    organization_type: z.string().nullish(),
    access_role: z.string().nullish(),
    plan_type: z.string().nullish(),
    members: z.array(member).nullish(),
    projects: listed(z.looseObject({ id: z.string(), project_name: z.string().nullish(), slug: z.string().nullish() })),
  }),
});

/** The id of any organization, private ones too, for who has no key as well (maps text). */
export const search = defineEndpoint({
  method: 'GET',
  path: '/v1/organization/search/{slug}',
  summary: 'The id of the organization of a slug.',
  effect: 'safe',
  limit: 'maps/read',
  auth: false,
  status: 200,
  input: z.strictObject({ slug: z.string().min(1) }),
  output: z.looseObject({ organization_id: z.string() }),
});

/** Fields that are left out stay (public docs name them). A slug that another organization has: 409 (assumption). */
export const update = defineEndpoint({
  method: 'POST',
  path: '/v1/organization/update',
  summary: 'Change name, slug or description of an organization.',
  effect: 'idempotent',
  limit: 'maps/write',
  status: 200,
  refuses: { 409: 'another organization has that slug' },
  input: z.strictObject({
    organization_id: id,
    new_organization_nickname: name.nullish(),
    new_organization_type: organizationType.nullish(),
    new_organization_slug: name.nullish(),
    new_organization_description: z.string().nullish(),
    new_organization_logo_url: z.string().nullish(),
    new_organization_website: z.string().nullish(),
    ai_subprocessor: z.enum(['openai', 'aws-bedrock']).nullish(),
  }),
  output: acknowledged,
});
