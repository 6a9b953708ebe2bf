import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { name } from '../name.ts';
import type { Ask } from '../endpoint.ts';
import { acknowledged, id, listed } from './common.ts';
import { get as userOf } from './user.ts';

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

type Named = { organization_id: string; key_name: string; user_id?: string | null | undefined };

/**
 * The keys of that name of one user, by all that identifies a key in the list. A key of which the list does not say whose it is
 * may be that user's.
 */
async function namesakes({ organization_id, key_name, user_id }: Named, ask: Ask): Promise<string[]> {
  const owner = user_id ?? (await ask(userOf, {})).sub;
  const { keys } = await ask(list, { organization_id });
  return keys
    .filter((each) => each.key_name === key_name && (each.user_id ?? owner) === owner)
    .map(({ user_id, creation, suffix }) => JSON.stringify([user_id, creation, suffix]));
}

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
    before: namesakes,
    async find(input, before, ask) {
      if ((await namesakes(input, ask)).every((key) => before.includes(key))) return 'absent';
      return { unknown: `key '${input.key_name}' was made, and the answer that held it was lost: delete it, then create it again` };
    },
  },
  limit: 'maps/write',
  status: 200,
  secrets: ['key'],
  refuses: { 409: 'there is a key of that name already' },
  input: z.strictObject({
    organization_id: id,
    key_name: name,
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
    before: namesakes,
    async find(input, before, ask) {
      const left = await namesakes(input, ask);
      const gone = before.filter((key) => !left.includes(key));
      if (gone.length === 0) return 'absent';
      if (gone.length === before.length) return { answer: { result: 'ok' } };
      return { unknown: `one of the keys '${input.key_name}' is gone, and the list does not say whose they are` };
    },
  },
  irreversible: true,
  limit: 'maps/write',
  status: 200,
  input: z.strictObject({ organization_id: id, key_name: z.string().min(1), user_id: z.string().nullish() }),
  output: acknowledged,
});
