import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { listed } from './common.ts';

/** Membership of the caller in an organization. */
export const membership = z.looseObject({
  organization_id: z.string(),
  nickname: z.string().nullish(),
  slug: z.string().nullish(),
  access_role: z.string().nullish(),
  plan_type: z.string().nullish(),
});

export const get = defineEndpoint({
  method: 'GET',
  path: '/v1/user/',
  summary: 'The user whose key this is, with organizations.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.object({}),
  output: z.looseObject({
    sub: z.string(),
    nickname: z.string().nullish(),
    name: z.string().nullish(),
    email: z.string().nullish(),
    default_organization: z.string().nullish(),
    organizations: listed(membership),
  }),
});
