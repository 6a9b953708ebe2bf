import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { onlyOne } from '../lookup.ts';
import type { Ask } from '../endpoint.ts';
import { listed, orElse } from './common.ts';
import { get as user } from './user.ts';

const namesakes = async (nickname: string, ask: Ask): Promise<string[]> =>
  (await ask(user, {})).organizations.filter((each) => each.nickname === nickname).map(({ organization_id }) => organization_id);

const madeSince = async (nickname: string, before: readonly string[], ask: Ask): Promise<string[]> =>
  (await namesakes(nickname, ask)).filter((organization) => !before.includes(organization));

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
    nickname: z.string().min(1),
    description: z.string().nullish(),
    logo_url: z.string().nullish(),
    website: z.string().nullish(),
    organization_type: orElse(z.enum(['personal', 'company', 'academic']), 'personal' as const),
  }),
  output: z.looseObject({ organization_id: z.string() }),
});

/** By id or slug. Detail goes by who asks: others than members see the public projects alone (assumption). */
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
    projects: listed(z.looseObject({ id: z.string(), project_name: z.string().nullish(), slug: z.string().nullish() })),
  }),
});
