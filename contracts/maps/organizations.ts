import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { onlyOne, type Ask } from '../lookup.ts';
import { get as user } from './user.ts';

const namesakes = async (nickname: string, ask: Ask): Promise<string[]> =>
  (await ask(user, {})).organizations.filter((each) => each.nickname === nickname).map(({ organization_id }) => organization_id);

/** The creator becomes the owner, on the free tier. A name may be used twice, so a lost answer is looked up among the caller's organizations. */
export const create = defineEndpoint({
  method: 'POST',
  path: '/v1/organization/create',
  summary: 'Create an organization with the caller as owner.',
  effect: 'reconcile',
  lookup: {
    before: ({ nickname }, ask) => namesakes(nickname, ask),
    async find({ nickname }, before, ask) {
      const made = (await namesakes(nickname, ask)).filter((organization) => !before.includes(organization));
      return onlyOne(made, 'organizations', (organization_id) => ({ organization_id }));
    },
  },
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
