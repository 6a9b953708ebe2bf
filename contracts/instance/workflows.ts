import { z } from 'zod';
import { defineEndpoint, type Ask } from '../endpoint.ts';
import { name } from '../name.ts';
import { onlyOne } from '../lookup.ts';
import { id, pageOf, pageSizeUpTo, uncountedPage } from './common.ts';

/** A slot that a file fills at the launch. One without `optional` must be filled (assumption). */
const slot = z.strictObject({
  name,
  description: z.string().nullish(),
  optional: z.boolean().nullish(),
  multiple: z.boolean().nullish(),
});

/** The writable metadata. */
const metadata = z.strictObject({
  greeting: z.string().nullish(),
  placeholder: z.string().nullish(),
  icon: z.string().nullish(),
  workflowClass: z.string().nullish(),
  inputs: z.string().nullish(),
  outputs: z.string().nullish(),
});

const named = z.looseObject({ id: z.string(), name: z.string().nullish() });
const shownSlot = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  optional: z.boolean().nullish(),
  multiple: z.boolean().nullish(),
});

const version = z.looseObject({
  id: z.string(),
  version: z.int(),
  isReleased: z.boolean().nullish(),
  instructionMarkdown: z.string().nullish(),
  mode: z.string().nullish(),
  model: z.string().nullish(),
  requestedFiles: z.array(shownSlot).nullish(),
  capabilities: z.record(z.string(), z.unknown()).nullish(),
  linkedArtifacts: z.array(named.extend({ type: z.string().nullish(), content: z.unknown() })).nullish(),
  contextFiles: z.array(named).nullish(),
  tags: z.array(named).nullish(),
});

const detail = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  metadata: z.looseObject({}).nullish(),
  projectId: z.string().nullish(),
  isPublic: z.boolean().nullish(),
  isShared: z.boolean().nullish(),
  isArchived: z.boolean().nullish(),
  releasedVersionId: z.string().nullish(),
  latestVersionId: z.string().nullish(),
  builderPath: z.string().nullish(),
  version,
});

const listItem = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  requestedFiles: z.array(shownSlot).nullish(),
});

const written = z.looseObject({
  id: z.string(),
  versionId: z.string(),
  version: z.int(),
  createdNewVersion: z.boolean().nullish(),
  linkedArtifacts: z.array(named).nullish(),
  builderPath: z.string().nullish(),
});

const listedVersion = z.looseObject({
  id: z.string(),
  version: z.int(),
  isReleased: z.boolean().nullish(),
  createdAt: z.string().nullish(),
  updatedAt: z.string().nullish(),
  changeNote: z.string().nullish(),
  authorEmail: z.string().nullish(),
  runCount: z.int().nullish(),
  averageCostUsd: z.number().nullish(),
  totalCostUsd: z.number().nullish(),
});

/** Open strings (the text shows `low` and `auto`), as the capabilities are an open object. */
const content = {
  instructionMarkdown: z.string().max(1_000_000).optional(),
  mode: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  requestedFiles: z.array(slot).max(100).optional(),
  capabilities: z.record(z.string(), z.unknown()).optional(),
};
const description = z.string().max(10_000);
const newArtifact = z.strictObject({ name, content: z.unknown() });

/** Newest first (assumption). */
export const list = defineEndpoint({
  method: 'GET',
  path: '/api/v0/workflows',
  summary: 'Workflows that the caller may run.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:agent'],
  status: 200,
  query: { limit: 'number', cursor: 'text', projectId: 'text', query: 'text' },
  page: uncountedPage,
  input: z.strictObject({
    limit: pageSizeUpTo(100),
    cursor: id.optional(),
    projectId: id.optional(),
    /** A part of the name or the description, in any case. */
    query: z.string().optional(),
  }),
  output: pageOf(listItem),
});

/** Of the version that is named, or of the latest one, which is the draft where there is one. */
export const get = defineEndpoint({
  method: 'GET',
  path: '/api/v0/workflows/{workflowId}',
  summary: 'One workflow with one of its versions.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:agent'],
  status: 200,
  envelope: 'data',
  query: { versionId: 'text' },
  input: z.strictObject({ workflowId: id, versionId: id.optional() }),
  output: detail,
});

export const versions = defineEndpoint({
  method: 'GET',
  path: '/api/v0/workflows/{workflowId}/versions',
  summary: 'Versions of a workflow, newest first, with their runs and what they have cost.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:agent'],
  status: 200,
  envelope: 'data',
  input: z.strictObject({ workflowId: id }),
  output: z.array(listedVersion),
});

type Listed = z.output<typeof listItem>;

/** Workflows of a name, page after page. */
async function namesakes(called: string, ask: Ask): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask(list, { query: called, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.data.filter((each) => each.name === called));
    if (!page.nextCursor) return found;
    cursor = page.nextCursor;
  }
}

/** The answer that the writing of a version would have given, read back. */
async function writtenAs(workflowId: string, versionId: string | undefined, ask: Ask): Promise<z.output<typeof written>> {
  const found = await ask(get, { workflowId, ...(versionId === undefined ? {} : { versionId }) });
  return {
    id: found.id,
    versionId: found.version.id,
    version: found.version.version,
    createdNewVersion: true,
    linkedArtifacts: (found.version.linkedArtifacts ?? []).map((each) => ({ id: each.id, name: each.name })),
    builderPath: found.builderPath,
  };
}

/** Owned by and private to the caller; its first version is a draft. `name` alone is required (assumption). */
export const create = defineEndpoint({
  method: 'POST',
  path: '/api/v0/workflows',
  summary: 'Create a workflow.',
  effect: 'reconcile',
  lookup: {
    before: async ({ name: called }, ask) => (await namesakes(called, ask)).map((each) => each.id),
    async find({ name: called }, before, ask) {
      const made = (await namesakes(called, ask)).filter((each) => !before.includes(each.id));
      if (made.length !== 1) return onlyOne(made, 'workflows', () => ({ id: '', versionId: '', version: 0 }));
      return { answer: await writtenAs(made[0]!.id, undefined, ask) };
    },
  },
  limit: 'instance/write',
  scopes: ['developer'],
  status: 201,
  envelope: 'data',
  input: z.strictObject({
    name,
    description: description.nullish(),
    metadata: metadata.optional(),
    ...content,
    linkedArtifacts: z.array(newArtifact).max(100).optional(),
    projectId: id.nullish(),
  }),
  output: written,
});

/**
 * The latest version is edited in place where it is a draft that no agent has run, and the edit starts from it; else it is a new
 * version, which a repeat would make a second time. An edit in place says nothing of itself, and its repeat changes nothing.
 */
export const update = defineEndpoint({
  method: 'POST',
  path: '/api/v0/workflows/{workflowId}',
  summary: 'Edit a workflow: what is left out is copied from the base version.',
  effect: 'reconcile',
  lookup: {
    before: async ({ workflowId }, ask) => (await ask(versions, { workflowId })).map((each) => each.id),
    async find({ workflowId }, before, ask) {
      const made = (await ask(versions, { workflowId })).filter((each) => !before.includes(each.id));
      if (made.length !== 1) return onlyOne(made, 'versions', () => ({ id: '', versionId: '', version: 0 }));
      return { answer: await writtenAs(workflowId, made[0]!.id, ask) };
    },
  },
  limit: 'instance/write',
  scopes: ['developer'],
  status: 200,
  envelope: 'data',
  input: z.strictObject({
    workflowId: id,
    baseVersionId: id.optional(),
    name: name.optional(),
    description: description.nullish(),
    metadata: metadata.optional(),
    ...content,
    /** All of them: those that are named by `id` stay, others are new. */
    linkedArtifacts: z
      .array(z.union([z.strictObject({ id }), newArtifact]))
      .max(100)
      .optional(),
  }),
  output: written,
});

/** Forward or back. Of the released version it changes nothing. */
export const release = defineEndpoint({
  method: 'POST',
  path: '/api/v0/workflows/{workflowId}/versions/{versionId}/release',
  summary: 'Make a version the one that others run.',
  effect: 'idempotent',
  limit: 'instance/write',
  scopes: ['developer'],
  status: 200,
  envelope: 'data',
  input: z.strictObject({ workflowId: id, versionId: id }),
  output: z.looseObject({
    id: z.string(),
    releasedVersionId: z.string(),
    version: z.int(),
    previousReleasedVersionId: z.string().nullish(),
  }),
});
