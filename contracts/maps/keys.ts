import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import type { Ask } from '../endpoint.ts';
import { acknowledged, id, listed } from './common.ts';

/** `expiration` is always there (public docs); `suffix`: the last characters of the key. */
const key = z.looseObject({
  key_name: z.string(),
  creation: z.string().nullish(),
  expiration: z.string().nullish(),
  suffix: z.string().nullish(),
  user_id: z.string().nullish(),
});

export const list = defineEndpoint({
  method: 'GET',
  path: '/v1/user/authorization/keys/{organization_id}',
  summary: 'API keys of an organization.',
  effect: 'safe',
  limit: 'maps/read',
  status: 200,
  input: z.strictObject({ organization_id: id }),
  output: z.looseObject({ keys: listed(key) }),
});

const namesOf = async (organization_id: string, ask: Ask): Promise<string[]> =>
  (await ask(list, { organization_id })).keys.map(({ key_name }) => key_name);

/**
 * The key is in the answer and nowhere else. Names are unique by user and organization (assumption): a second creation is
 * a 409. Where the answer was lost the key is there, but nobody has it.
 */
export const create = defineEndpoint({
  method: 'POST',
  path: '/v1/user/authorization/keys/{organization_id}/create',
  summary: 'Create an API key.',
  effect: 'reconcile',
  lookup: {
    before: ({ organization_id }, ask) => namesOf(organization_id, ask),
    async find({ organization_id, key_name }, before, ask) {
      if (before.includes(key_name) || !(await namesOf(organization_id, ask)).includes(key_name)) return 'absent';
      return { unknown: `key '${key_name}' was made, and the answer that held it was lost: delete it, then create it again` };
    },
  },
  limit: 'maps/write',
  status: 200,
  secrets: ['key'],
  input: z.strictObject({
    organization_id: id,
    key_name: z.string().min(1),
    key_role: z.string().nullish(),
    key_scope: z.enum(['ORGANIZATION', 'DATASET', 'USER']).nullish(),
    key_target_id: id.nullish(),
  }),
  output: z.looseObject({ key: z.string().min(1) }),
});

/** Keys are addressed by name; an unknown one is a 404 (assumption), so that a repeat would fail: a lost answer is looked up. */
export const remove = defineEndpoint({
  method: 'POST',
  path: '/v1/user/authorization/keys/{organization_id}/delete',
  summary: 'Delete an API key.',
  effect: 'reconcile',
  lookup: {
    before: ({ organization_id }, ask) => namesOf(organization_id, ask),
    async find({ organization_id, key_name }, before, ask) {
      const gone = before.includes(key_name) && !(await namesOf(organization_id, ask)).includes(key_name);
      return gone ? { answer: { result: 'ok' } } : 'absent';
    },
  },
  irreversible: true,
  limit: 'maps/write',
  status: 200,
  input: z.strictObject({ organization_id: id, key_name: z.string().min(1), user_id: z.string().nullish() }),
  output: acknowledged,
});
