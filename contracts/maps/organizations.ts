import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

/** The creator becomes the owner, on the free tier. A name may be used twice, so a lost answer is looked up among the caller's organizations. */
export const create = defineEndpoint({
  method: 'POST',
  path: '/v1/organization/create',
  summary: 'Create an organization with the caller as owner.',
  effect: 'reconcile',
  limit: 'maps/write',
  status: 201,
  input: z.strictObject({
    nickname: z.string().min(1),
    description: z.string().nullish(),
    logo_url: z.string().nullish(),
    website: z.string().nullish(),
    organization_type: z.enum(['personal', 'company', 'academic']).default('personal'),
  }),
  output: z.looseObject({ organization_id: z.string() }),
});
