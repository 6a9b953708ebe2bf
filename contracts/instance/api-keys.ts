import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { cursorPage, id, pageOf, pageSize } from './common.ts';

/** API key (admin view): the full key is never returned. */
export const apiKey = z.looseObject({
  id: z.string(),
  keyPrefix: z.string().nullish(),
  name: z.string().nullish(),
  scopes: z.array(z.string()).nullish(),
  createdAt: z.string().nullish(),
  lastUsedAt: z.string().nullish(),
  /** Null: does not expire. */
  expiresAt: z.string().nullish(),
  /** Null: active. */
  revokedAt: z.string().nullish(),
  user: z.looseObject({ id: z.string(), email: z.string().nullish() }).nullish(),
});

/** `includeRevoked`: `true` includes revoked keys, any other text does not (the text: a string). Newest first (assumption); 100 a page where no limit is named (assumption). */
export const list = defineEndpoint({
  method: 'GET',
  path: '/api/v0/api-keys',
  summary: 'API keys of the organization, of one user or of all.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['admin:api-keys:read'],
  status: 200,
  query: { limit: 'number', cursor: 'text', userId: 'text', includeRevoked: 'boolean' },
  page: cursorPage,
  input: z.strictObject({
    limit: pageSize,
    cursor: z.string().optional(),
    userId: id.optional(),
    includeRevoked: z.union([z.boolean(), z.string()]).optional(),
  }),
  output: pageOf(apiKey),
});

/** `reason` stands in the audit log. */
export const revoke = defineEndpoint({
  method: 'POST',
  path: '/api/v0/api-keys/{id}/revoke',
  summary: 'Revoke an API key.',
  effect: 'idempotent',
  irreversible: true,
  limit: 'instance/write',
  scopes: ['admin:api-keys:write'],
  status: 200,
  errors: [
    {
      status: 409,
      says: 'the key is revoked already',
      means: 'done',
      as: (input) => ({ success: true, apiKey: { id: input.id } }),
    },
  ],
  input: z.strictObject({ id, reason: z.string().optional() }),
  output: z.looseObject({
    success: z.boolean(),
    apiKey: z.looseObject({ id: z.string(), keyPrefix: z.string().nullish(), revokedAt: z.string().nullish() }),
  }),
});
