import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { listed } from './common.ts';

/** Membership of the caller in an organization. */
const membership = z.looseObject({
  organization_id: z.string(),
  nickname: z.string().nullish(),
  slug: z.string().nullish(),
  access_role: z.string().nullish(),
  plan_type: z.string().nullish(),
});

/** The record of a user (assumption: the text shows no fields of its profile). */
const user = z.looseObject({
  sub: z.string(),
  nickname: z.string().nullish(),
  name: z.string().nullish(),
  email: z.string().nullish(),
});

export const get = defineEndpoint({
  method: 'GET',
  path: '/v1/user/',
  summary: 'The user whose key this is, with organizations.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.strictObject({}),
  output: user.extend({ default_organization: z.string().nullish(), organizations: listed(membership) }),
});

export const profile = defineEndpoint({
  method: 'GET',
  path: '/v1/user/profile',
  summary: "The profile of the key's user.",
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.strictObject({}),
  output: user,
});

type User = Pick<z.output<typeof get.output>, 'default_organization' | 'organizations'>;

/** The organization that a connection names by id, slug or nickname; else the user's default, else the user's own, else any. */
export const organizationOf = (
  { organizations, default_organization }: User,
  wanted: string | undefined,
): z.output<typeof membership> | undefined =>
  wanted === undefined
    ? (organizations.find((each) => each.organization_id === default_organization) ??
      organizations.find((each) => each.access_role === 'OWNER') ??
      organizations[0])
    : organizations.find((each) => [each.organization_id, each.slug, each.nickname].includes(wanted));

/** How paths name an organization. */
export const slugOfOrganization = ({ slug, organization_id }: z.output<typeof membership>): string => slug ?? organization_id;
