import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { cursorPage, id, pageOf } from './common.ts';

export const user = z.looseObject({
  id: z.string(),
  email: z.string().nullish(),
  name: z.string().nullish(),
  disabled: z.boolean().default(false),
  disabledAt: z.string().nullish(),
  createdAt: z.string().nullish(),
  updatedAt: z.string().nullish(),
});

/** Scopes of users are those of the public docs: the text shows none. `email`: a part of it, in any case (public docs). Newest first (assumption). */
export const list = defineEndpoint({
  method: 'GET',
  path: '/api/v0/users',
  summary: 'Users of the organization.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['admin:users:read'],
  status: 200,
  query: { limit: 'number', cursor: 'text', email: 'text' },
  page: cursorPage,
  input: z.strictObject({ limit: z.int().min(1).max(1_000).optional(), cursor: z.string().optional(), email: z.string().optional() }),
  output: pageOf(user),
});

/** The bare record (public docs); the counts are of active keys and sessions. */
export const get = defineEndpoint({
  method: 'GET',
  path: '/api/v0/users/{id}',
  summary: 'One user, with the number of active keys.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['admin:users:read'],
  status: 200,
  input: z.strictObject({ id }),
  output: user.extend({ apiKeyCount: z.int().nullish(), sessionCount: z.int().nullish() }),
});

/** Revokes all keys of the user too, for good. Of a disabled user it succeeds and revokes none (assumption). */
export const disable = defineEndpoint({
  method: 'POST',
  path: '/api/v0/users/{id}/disable',
  summary: "Disable a user's account and revoke all its API keys.",
  effect: 'idempotent',
  irreversible: true,
  limit: 'instance/write',
  scopes: ['admin:users:write'],
  status: 200,
  refuses: { 409: 'a user cannot disable the own account' },
  input: z.strictObject({ id, reason: z.string().min(1) }),
  output: z.looseObject({
    success: z.boolean(),
    user: user.pick({ id: true, email: true, disabled: true, disabledAt: true }),
    revokedApiKeys: z.int().nullish(),
  }),
});

/** Keys stay revoked. */
export const enable = defineEndpoint({
  method: 'POST',
  path: '/api/v0/users/{id}/enable',
  summary: "Enable a user's account again.",
  effect: 'idempotent',
  limit: 'instance/write',
  scopes: ['admin:users:write'],
  status: 200,
  input: z.strictObject({ id, reason: z.string().min(1) }),
  output: z.looseObject({ success: z.boolean(), user: user.pick({ id: true, email: true, disabled: true }) }),
});
