import { newId } from '../../core/new-id.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import { addAgent } from './add-agent.ts';
import type { AgentFile, PromptImage } from './model.ts';
import type { EngineParts } from './parts.ts';
import type { Owner, RunnableWorkflow } from './ports.ts';
import { agentOf, type AgentRow } from './records.ts';

export type Launch = {
  prompt?: { text: string; images?: readonly PromptImage[] | undefined } | undefined;
  workflowId?: string | undefined;
  workflowVersionId?: string | undefined;
  projectId?: string | undefined;
  fileIds?: readonly string[] | undefined;
  workflowInputs?: Readonly<Record<string, string | readonly string[]>> | undefined;
  capabilities?: { codeSearch?: boolean | undefined; webSearch?: boolean | undefined } | undefined;
  model?: string | undefined;
  mode?: string | undefined;
};

/** Who asks, and in which request. */
export type Caller = Omit<Owner, 'projectId'> & { requestId: string };

/** Files of a workflow's slots: 400 where one is missing, unknown, or a folder, or has several where it takes one. */
const slotFiles = (
  parts: EngineParts,
  owner: Owner,
  { slots, name }: RunnableWorkflow,
  inputs: NonNullable<Launch['workflowInputs']>,
): AgentFile[] => {
  for (const given of Object.keys(inputs))
    if (!slots.some((slot) => slot.name === given))
      throw invalid(
        'workflowInputs',
        `workflow ${name} has no slot '${given}'; it has ${slots.map((slot) => slot.name).join(', ') || 'none'}`,
      );
  return slots.flatMap((slot) => {
    const ids = Object.hasOwn(inputs, slot.name) ? [inputs[slot.name]!].flat() : [];
    if (ids.length === 0 && !slot.optional) throw invalid('workflowInputs', `slot '${slot.name}' of workflow ${name} needs a file`);
    if (ids.length > 1 && !slot.multiple) throw invalid('workflowInputs', `slot '${slot.name}' of workflow ${name} takes one file`);
    const files = parts.host.readyFiles(owner, ids);
    const folder = ids.find((id) => !files.some((file) => file.id === id));
    if (folder !== undefined)
      throw invalid('workflowInputs', `slot '${slot.name}' of workflow ${name} takes files, and ${folder} is a folder: name its files`);
    return files.map((file) => ({ ...file, slots: [slot.name] }));
  });
};

/** 429 where nothing may be spent; it is no throttle, and says when that changes where it does. */
export const checkSpend = ({ host }: EngineParts, owner: Owner): void => {
  const blocked = host.blocked(owner);
  if (!blocked) return;
  const after: Record<string, string> =
    blocked.seconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(blocked.seconds))) };
  throw new HttpError(429, blocked.says, after, 'spend_limit_reached');
};

/** Launches an agent: checks what it is given, and adds it with its files in one transaction. */
export function launchAgent(parts: EngineParts, input: Launch, caller: Caller): AgentRow {
  const { records, host } = parts;
  const owner: Owner = { ...caller, projectId: input.projectId ?? null };
  const project = input.projectId === undefined ? undefined : host.project(owner, input.projectId);
  const workflow = input.workflowId === undefined ? undefined : host.workflow(owner, input.workflowId, input.workflowVersionId);
  const files = workflow ? slotFiles(parts, owner, workflow, input.workflowInputs ?? {}) : host.readyFiles(owner, input.fileIds ?? []);
  checkSpend(parts, owner);
  const id = newId();
  const { requestId } = caller;
  const { prompt } = input;
  const agent = {
    id,
    user_id: owner.userId,
    organization_id: owner.organizationId,
    parent_id: null,
    project_id: input.projectId ?? null,
    project_name: project?.name ?? null,
    workflow_id: workflow?.workflowId ?? null,
    workflow_version_id: workflow?.versionId ?? null,
    workflow_name: workflow?.name ?? null,
    instructions: workflow?.instructions ?? null,
    model: input.model ?? workflow?.model ?? 'auto',
    mode: input.mode ?? workflow?.mode ?? 'low',
    capabilities: JSON.stringify({ codeSearch: false, webSearch: false, ...workflow?.capabilities, ...input.capabilities }),
  };
  const content = {
    prompt: prompt?.text ?? null,
    workflow: input.workflowId ?? null,
    inputs: input.workflowInputs ?? input.fileIds ?? [],
  };
  records.effect({ requestId, operation: 'instance.agents.launch', subject: `agents/${owner.userId}`, content }, () => {
    addAgent(records, agent, { prompt: prompt?.text ?? '', images: prompt?.images ?? [], files });
    host.adopt(
      owner,
      id,
      files.map((file) => file.id),
    );
    if (workflow) host.ran(workflow, id);
    return { changed: 1, value: undefined };
  });
  return agentOf(records, id)!;
}
