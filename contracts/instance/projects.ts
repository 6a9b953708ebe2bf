import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { name } from '../name.ts';
import { onlyOne } from '../lookup.ts';
import type { Ask } from '../endpoint.ts';
import { cursorPage, id, pageOf, pageSizeUpTo } from './common.ts';

const project = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  projectNumber: z.string().nullish(),
  createdAt: z.string().nullish(),
  updatedAt: z.string().nullish(),
});

const member = z.looseObject({
  id: z.string(),
  email: z.string().nullish(),
  name: z.string().nullish(),
  image: z.string().nullish(),
  role: z.string(),
});

/** What a member may do: Admin, Member and Read-only member in the app. */
export const projectRole = z.enum(['admin', 'editor', 'viewer']);

const description = z.string().max(10_000);
const projectNumber = z.string().max(200);

/** Newest first (assumption). `membership=any`: of an administrator every project of the organization, of anyone else the own ones. */
export const list = defineEndpoint({
  method: 'GET',
  path: '/api/v0/projects',
  summary: 'Projects that the caller may read.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:projects:read'],
  status: 200,
  query: { limit: 'number', cursor: 'text', search: 'text', membership: 'text' },
  page: cursorPage,
  input: z.strictObject({
    limit: pageSizeUpTo(100),
    cursor: id.optional(),
    /** A part of the name or of the project number, in any case. */
    search: z.string().optional(),
    membership: z.enum(['mine', 'any']).optional(),
  }),
  output: pageOf(project),
});

type Listed = z.output<typeof project>;

/** The caller's projects of a name, page after page. */
async function namesakes(called: string, ask: Ask): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask(list, { search: called, membership: 'mine', limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.data.filter((each) => each.name === called));
    if (!page.nextCursor) return found;
    cursor = page.nextCursor;
  }
}

/** `name` alone is required (assumption: the text does not say); the caller becomes the first administrator. */
export const create = defineEndpoint({
  method: 'POST',
  path: '/api/v0/projects',
  summary: 'Create a project.',
  effect: 'reconcile',
  lookup: {
    before: async ({ name: called }, ask) => (await namesakes(called, ask)).map((each) => each.id),
    async find({ name: called }, before, ask) {
      const made = (await namesakes(called, ask)).filter((each) => !before.includes(each.id));
      return onlyOne(made, 'projects', (each) => each);
    },
  },
  limit: 'instance/write',
  scopes: ['developer:projects:create'],
  status: 201,
  envelope: 'data',
  input: z.strictObject({ name, description: description.nullish(), projectNumber: projectNumber.nullish() }),
  output: project,
});

export const get = defineEndpoint({
  method: 'GET',
  path: '/api/v0/projects/{id}',
  summary: 'One project.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:projects:read'],
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id }),
  output: project,
});

/** A field that is left out stays, null clears it; a name cannot be cleared. */
export const update = defineEndpoint({
  method: 'POST',
  path: '/api/v0/projects/{id}',
  summary: 'Change name, description or number of a project.',
  effect: 'idempotent',
  limit: 'instance/write',
  scopes: ['developer:projects:admin'],
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id, name: name.optional(), description: description.nullish(), projectNumber: projectNumber.nullish() }),
  output: project,
});

export const members = defineEndpoint({
  method: 'GET',
  path: '/api/v0/projects/{id}/members',
  summary: 'Members of a project with their roles.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:projects:read'],
  status: 200,
  query: { limit: 'number', cursor: 'text' },
  page: cursorPage,
  input: z.strictObject({ id, limit: pageSizeUpTo(100), cursor: z.string().optional() }),
  output: pageOf(member),
});

/** One entry of the batch: by `user`, or a member as the list gives it, whose `id` is the user's. */
const change = z.union([
  z.strictObject({ user: id, role: projectRole.nullable() }),
  z.looseObject({ id, role: projectRole.nullable() }).transform(({ id: user, role }) => ({ user, role })),
]);

/** All entries or none; null removes. What is so already changes nothing, so that a list that was read can be sent back. */
export const setMembers = defineEndpoint({
  method: 'POST',
  path: '/api/v0/projects/{id}/members',
  summary: 'Set or remove members of a project, all or none.',
  effect: 'idempotent',
  limit: 'instance/write',
  scopes: ['developer:projects:admin'],
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id, members: z.array(change).max(1_000) }),
  output: z.array(member),
});
