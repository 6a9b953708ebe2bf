import { createCalls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';
import type { Running } from '../service/running.ts';
import { ended, launched, orders, quick } from '../spec/instance-agents.ts';
import { spares, type Known, type Ready } from './support-fuzz.ts';

/** One of everything in the instance API; of a path, the ids that its fields name. */
export async function prepareInstance({ ready: { url, adminKeys }, api }: Running): Promise<Ready> {
  const calls = createCalls(() => ({ baseUrl: url, token: adminKeys.instance, permits: createPermits() }));
  const { invoke } = calls;
  await quick({ api });
  const person = (await api.post('/__control/users', { name: 'Ada', email: 'ada@example.com' })).body.id as string;
  const key = (await api.post('/__control/keys', { service: 'instance', name: 'adas', scopes: [], user: person })).body.id as string;
  const { id: project } = await invoke('instance.projects.create', { name: 'fuzzed' });
  const { id: budgetless } = await invoke('instance.projects.create', { name: 'without a budget' });
  await invoke('instance.projects.setMembers', { id: project, members: [{ user: person, role: 'editor' }] });
  const { id: budget } = await invoke('instance.budgets.create', { projectId: project, amountCents: 100, memberLimits: { enabled: true } });
  const [me] = (await invoke('instance.budgets.members', { id: budget })).data;
  const file = await invoke('instance.files.upload', { file: new File(['# Roof\n\nThe roof is dry.'], 'roof.md') });
  const { id: folder } = await invoke('instance.files.tempFolder', {});
  const requestedFiles = [{ name: 'plan', optional: true }];
  const { id: workflow, versionId } = await invoke('instance.workflows.create', { name: 'fuzzed', requestedFiles, projectId: project });
  await invoke('instance.workflows.release', { workflowId: workflow, versionId });
  const { versionId: draft, linkedArtifacts } = await invoke('instance.workflows.update', {
    workflowId: workflow,
    linkedArtifacts: [{ name: 'form', content: '# a' }],
  });
  const { id: agent } = await launched(calls, 'Count the orders by status and summarise.', {
    'orders.csv': orders,
    'roof.txt': 'The roof is dry.',
  });
  const { artifacts } = await ended(calls, agent);
  const { id: asking } = await launched(calls, 'Ask me which roof is meant.');
  const { taskId } = await invoke('instance.parse.submit', { fileVersionId: file.fileVersionId });
  const everywhere: Known = {
    projectId: [project, budgetless],
    workflowId: [workflow],
    workflowVersionId: [versionId, draft],
    baseVersionId: [versionId, draft],
    versionId: [versionId, draft],
    artifactId: artifacts!.map(({ id }) => id),
    fileIds: [file.id, folder],
    parentId: [folder],
    fileVersionId: [file.fileVersionId],
    taskId: [taskId],
    userId: [person, me!.id],
    jurisdiction: ['harborland', 'westmark'],
    codeType: ['building', 'fire'],
    members: [
      { user: person, role: 'viewer' },
      { user: person, role: null },
      { user: person, limitCents: 5 },
      { user: me!.id, limitCents: null },
    ],
    linkedArtifacts: (linkedArtifacts ?? []).map(({ id }) => ({ id })),
    workflowInputs: [{}, { plan: file.id }],
    prompt: [{ text: 'List the emails of a@example.com.' }],
  };
  const ids: Readonly<Record<string, readonly string[]>> = {
    agents: [agent, asking],
    projects: [project, budgetless],
    budgets: [budget, 'organization'],
    users: [person, me!.id],
    'api-keys': [key],
    files: [file.id],
  };
  const cursors: Readonly<Record<string, readonly string[]>> = {
    agents: [agent],
    projects: [project],
    files: [file.id],
    workflows: [workflow],
  };
  const spare: Record<string, string[]> = { agents: [], users: [], 'api-keys': [] };
  for (let at = 0; at < spares; at++) {
    const user = (await api.post('/__control/users', { name: `Spare ${at}`, email: `spare${at}@example.com` })).body.id as string;
    spare['users']!.push(user);
    spare['api-keys']!.push((await api.post('/__control/keys', { service: 'instance', name: `spare${at}`, scopes: [], user })).body.id);
    spare['agents']!.push((await launched(calls, 'Ask me which roof is meant.')).id);
  }
  const resourceOf = (path: string): string => path.split('/')[3]!;
  return {
    there(path) {
      const resource = resourceOf(path);
      return { ...everywhere, ...(ids[resource] && { id: ids[resource] }), ...(cursors[resource] && { cursor: cursors[resource] }) };
    },
    spare: (path) => ({ id: spare[resourceOf(path)] ?? [] }),
  };
}
