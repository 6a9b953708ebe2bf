import { z } from 'zod';
import { defineEndpoint, type Ask } from '../endpoint.ts';
import { onlyOne } from '../lookup.ts';
import { agentDetail, agentSummary, artifact, exported, exportFormats, filledPrompt, message, statuses, usage } from './agent-shapes.ts';
import { id, pageOf } from './common.ts';
import { status as fileStatus } from './files.ts';

/** Keys of who administers an organization read agents of all its users (instance text); the scope's name is an assumption. */
export const analyticsScope = 'admin:analytics:read';

const scopes = ['developer:agent'] as const;
const readScopes = [...scopes, analyticsScope];

/** Agents of the caller, newest first (assumption). `workflowId`: `null` leaves out those of workflows. */
export const list = defineEndpoint({
  method: 'GET',
  path: '/api/v0/agents',
  summary: 'Agents of the caller: of one status or workflow, or all.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes,
  status: 200,
  query: { limit: 'number', cursor: 'text', status: 'text', workflowId: 'text' },
  page: { by: 'cursor', cursor: 'cursor', next: 'nextCursor', items: 'data' },
  input: z.strictObject({
    limit: z.int().min(1).max(100).optional(),
    cursor: id.optional(),
    status: z.enum(statuses).optional(),
    workflowId: z.union([id, z.literal('null')]).optional(),
  }),
  output: pageOf(agentSummary),
});

export const get = defineEndpoint({
  method: 'GET',
  path: '/api/v0/agents/{id}',
  summary: 'One agent: its status, files and artifacts.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: readScopes,
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id }),
  output: agentDetail,
});

/** What was said on the branch that is active. */
export const conversation = defineEndpoint({
  method: 'GET',
  path: '/api/v0/agents/{id}/conversation',
  summary: 'Messages of an agent; with `include: [steps]` also thinking, tools and compactions.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: readScopes,
  status: 200,
  envelope: 'data',
  query: { include: 'commas' },
  input: z.strictObject({ id, include: z.array(z.literal('steps')).optional() }),
  output: z.looseObject({ id: z.string(), messages: z.array(message) }),
});

export const getUsage = defineEndpoint({
  method: 'GET',
  path: '/api/v0/agents/{id}/usage',
  summary: 'Tokens and cost of an agent with its sub-agents, by model.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: readScopes,
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id }),
  output: usage,
});

/** No agent is launched, prompted or asked any more (assumption: the text shows no code). */
export const spendLimit = {
  status: 429,
  code: 'spend_limit_reached',
  says: 'the budget, or the limit of the member, is spent',
  means: 'final',
  remedy: 'raise it, or wait for its renewal; then go on with `portolan rerun`',
} as const;

const launchInput = z
  .strictObject({
    prompt: filledPrompt.optional(),
    workflowId: id.optional(),
    workflowVersionId: id.optional(),
    projectId: id.optional(),
    /** Files and folders that the agent may read. */
    fileIds: z.array(id).optional(),
    /** Slot to a file, or to several where the slot takes several (assumption). */
    workflowInputs: z.record(z.string(), z.union([id, z.array(id)])).optional(),
    capabilities: z.strictObject({ codeSearch: z.boolean().optional(), webSearch: z.boolean().optional() }).optional(),
    model: z.string().min(1).optional(),
    mode: z.string().min(1).optional(),
  })
  .refine((input) => input.prompt !== undefined || input.workflowId !== undefined, {
    message: 'prompt.text or workflowId is required',
    path: ['prompt'],
  })
  .refine((input) => input.workflowId === undefined || input.fileIds === undefined, {
    message: 'is not taken together with workflowId: name files by workflowInputs',
    path: ['fileIds'],
  })
  .refine((input) => input.workflowId !== undefined || (input.workflowVersionId ?? input.workflowInputs) === undefined, {
    message: 'is required where workflowVersionId or workflowInputs stands',
    path: ['workflowId'],
  });

/** Whether what is asked for can be read: not where the answer has one of these statuses. */
async function isFound(asked: Promise<unknown>, not: readonly number[]): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof Error && 'status' in error && not.includes(error.status as number)) return false;
    throw error;
  }
}

/** Whether an id is known to be a file: not where the key may not ask. */
const isFile = (id: string, ask: Ask): Promise<boolean> => isFound(ask(fileStatus, { id }), [401, 403, 404]);

/** Whether an agent was launched by an input. `hidden`: it may have been; of what it was to be given it does not show these. */
type Fit = 'yes' | 'no' | { hidden: readonly string[] };

/** Whether an agent was launched by this input, by what it was given. */
async function fits({ prompt, workflowId, workflowInputs = {} }: z.output<typeof launchInput>, agent: string, ask: Ask): Promise<Fit> {
  if (prompt) {
    const { messages } = await ask(conversation, { id: agent });
    return messages.find(({ type }) => type === 'user')?.text?.trim() === prompt.text.trim() ? 'yes' : 'no';
  }
  const detail = await ask(get, { id: agent });
  if (detail.workflowId !== workflowId) return 'no';
  const given = Object.values(workflowInputs).flat();
  const hidden = given.filter((file) => !detail.activeFileIds?.includes(file));
  return hidden.length === 0 ? 'yes' : { hidden: detail.activeFileIds ? hidden : [] };
}

/**
 * Whether no hidden id is a file. It may be a folder then: a service that takes one shows the files that it holds, and nobody can know
 * whether an agent that shows others was given it.
 */
async function mayHide(hidden: readonly string[], ask: Ask): Promise<boolean> {
  for (const id of hidden) if (await isFile(id, ask)) return false;
  return true;
}

/** Does a page go from the newest to the oldest? Not known of one whose agents are of one instant. */
export const goesDown = (page: readonly { createdAt?: string | null | undefined }[]): boolean =>
  (page[0]?.createdAt ?? '') > (page.at(-1)?.createdAt ?? '');

/** The newest agents of a workflow; where the first page does not show in what order they come, all of them. */
async function newest(workflowId: string, ask: Ask): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await ask(list, { limit: 100, workflowId, ...(cursor ? { cursor } : {}) });
    found.push(...data.map((agent) => agent.id));
    cursor = goesDown(data) ? undefined : (nextCursor ?? undefined);
  } while (cursor !== undefined);
  return found;
}

type Launched = { sure: string[]; perhaps: { agent: string; hidden: readonly string[] }[] };

/**
 * Agents that were launched since, and by such an input or perhaps by such. Where the newest stand first (assumption `agent-order`) the list is read down to one
 * that was there before; of the same instant as that one others may stand below it.
 */
async function launchedSince(input: z.output<typeof launchInput>, before: readonly string[], ask: Ask): Promise<Launched> {
  const found: Launched = { sure: [], perhaps: [] };
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await ask(list, { limit: 100, workflowId: input.workflowId ?? 'null', ...(cursor ? { cursor } : {}) });
    const at = goesDown(data) ? data.findIndex((agent) => before.includes(agent.id)) : -1;
    const since = at < 0 ? '' : (data[at]!.createdAt ?? '~');
    const launched = data.filter(
      ({ id: agent, createdAt }, place) => !before.includes(agent) && (at < 0 || place < at || (createdAt ?? '') >= since),
    );
    for (const { id: agent } of launched) {
      const fit = await fits(input, agent, ask);
      if (fit === 'yes') found.sure.push(agent);
      else if (fit !== 'no') found.perhaps.push({ agent, ...fit });
    }
    cursor = at < 0 ? (nextCursor ?? undefined) : undefined;
  } while (cursor !== undefined);
  return found;
}

/**
 * From a prompt, or from a workflow. It must not be sent twice: a lost answer is looked up among the agents launched since, by the text
 * of the prompt or by the files. Launches that say the same cannot be distinguished: a mark in the prompt that is used once makes
 * the look-up certain.
 */
export const launch = defineEndpoint({
  method: 'POST',
  path: '/api/v0/agents',
  summary: 'Launch an agent from a prompt, or from a workflow.',
  effect: 'reconcile',
  lookup: {
    before: async ({ workflowId = 'null' }, ask) => newest(workflowId, ask),
    async find(input, before, ask) {
      const since = await launchedSince(input, before, ask);
      const found = onlyOne(since.sure, 'agents', (agent) => agent);
      if (found === 'absent') {
        const perhaps: string[] = [];
        for (const { agent, hidden } of since.perhaps) if (await mayHide(hidden, ask)) perhaps.push(agent);
        if (perhaps.length > 0)
          return { unknown: `the files of ${perhaps.join(', ')} do not show whether it was launched by these workflowInputs` };
      }
      return typeof found === 'object' && 'answer' in found ? { answer: await ask(get, { id: found.answer }) } : found;
    },
    made: async (input, before, ask) => (await launchedSince(input, before, ask)).sure,
  },
  limit: 'instance/heavy',
  cost: 'tokens of the agent and of its sub-agents',
  scopes,
  status: 201,
  envelope: 'data',
  errors: [spendLimit],
  input: launchInput,
  output: agentDetail,
});

/** Messages of a user by which a follow-up shows. */
async function said(agent: string, text: string, ask: Ask): Promise<string[]> {
  const { messages } = await ask(conversation, { id: agent });
  return messages.filter((each) => each.type === 'user' && each.text?.trim() === text.trim()).map((each) => each.id);
}

/** Another turn of an agent that is finished, stopped or failed; 409 of any other (assumption). It shows in the conversation. */
export const followup = defineEndpoint({
  method: 'POST',
  path: '/api/v0/agents/{id}/followup',
  summary: 'Send a further prompt to an agent that has ended.',
  effect: 'reconcile',
  lookup: {
    before: (input, ask) => said(input.id, input.prompt.text, ask),
    async find(input, before, ask) {
      const since = (await said(input.id, input.prompt.text, ask)).filter((each) => !before.includes(each));
      return since.length === 0 ? 'absent' : { answer: await ask(get, { id: input.id }) };
    },
    made: async (input, before, ask) => (await said(input.id, input.prompt.text, ask)).filter((each) => !before.includes(each)),
  },
  limit: 'instance/heavy',
  cost: 'tokens of the turn',
  scopes,
  status: 200,
  envelope: 'data',
  errors: [{ status: 409, says: 'the agent has not ended', means: 'later' }, spendLimit],
  input: z.strictObject({ id, prompt: filledPrompt }),
  output: agentDetail,
});

/** The latest version. */
export const getArtifact = defineEndpoint({
  method: 'GET',
  path: '/api/v0/agents/{id}/artifacts/{artifactId}',
  summary: 'An artifact of an agent with its content.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes,
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id, artifactId: id }),
  output: artifact,
});

/** `fileVersionId`: of a Drawing Review PDF that cites several files. */
export const exportArtifact = defineEndpoint({
  method: 'GET',
  path: '/api/v0/agents/{id}/artifacts/{artifactId}/exports',
  summary: 'A signed URL of an artifact as a file; it is accepted for five minutes.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes,
  status: 200,
  envelope: 'data',
  query: { format: 'text', version: 'number', fileVersionId: 'text' },
  refuses: { 501: 'files of that format are not made on this instance' },
  input: z.strictObject({
    id,
    artifactId: id,
    format: z.enum(exportFormats),
    version: z.int().min(1).optional(),
    fileVersionId: id.optional(),
  }),
  output: exported,
});

/** Reached asynchronously; of an agent that has ended nothing happens. */
export const stop = defineEndpoint({
  method: 'POST',
  path: '/api/v0/agents/{id}/stop',
  summary: 'Stop an agent.',
  effect: 'idempotent',
  limit: 'instance/write',
  scopes,
  status: 200,
  envelope: 'data',
  input: z.strictObject({ id }),
  output: agentSummary,
});

const isThere = (agent: string, ask: Ask): Promise<boolean> => isFound(ask(get, { id: agent }), [404]);

/**
 * Deletes the session and its messages; a running one is ended first, which takes up to ten seconds. Artifacts stay. A second deletion is a
 * 404 (assumption), so that a lost answer is looked up.
 */
export const remove = defineEndpoint({
  method: 'DELETE',
  path: '/api/v0/agents/{id}',
  summary: 'Delete an agent with its messages; its artifacts are kept.',
  effect: 'reconcile',
  lookup: {
    before: async (input, ask) => ((await isThere(input.id, ask)) ? [input.id] : []),
    find: async (input, [there], ask) => (there === undefined || (await isThere(input.id, ask)) ? 'absent' : { answer: { success: true } }),
  },
  irreversible: true,
  limit: 'instance/write',
  scopes,
  status: 200,
  input: z.strictObject({ id }),
  output: z.looseObject({}).nullish(),
});
