import { readFileSync } from 'node:fs';
import { statuses, type AgentStatus } from '../../../contracts/instance/agent-shapes.ts';
import { escapeHtml as e } from '../../../text/html.ts';
import { invalidParameter } from '../../core/errors.ts';
import { minute, nextPage, plainPage, tableOf } from '../plain-page.ts';
import { statusMark, wordsOf } from './agent-words.ts';
import { reader, type InstancePagesState } from './state.ts';

/** Agents of a page. */
const shown = 50;

/** Keeps statuses of agents up to date. */
export const agentsScript = readFileSync(new URL('../browser/agents.js', import.meta.url), 'utf8');

const isStatus = (text: string): text is AgentStatus => (statuses as readonly string[]).includes(text);

/** The agents of the user, the newest first, all or of one status. */
export const agentsPage = async (state: InstancePagesState, status: string, cursor: string): Promise<Response> => {
  if (status !== '' && !isStatus(status)) throw invalidParameter('status', `is one of ${statuses.join(', ')}`);
  const asked = { limit: shown, ...(status === '' ? {} : { status }), ...(cursor === '' ? {} : { cursor }) };
  const { data, nextCursor } = await state.operations.agents.list(asked, reader(state));
  const choice = (value: string, words: string): string =>
    `<a href="/agents${value === '' ? '' : `?status=${value}`}"${value === status ? ' aria-current="true"' : ''}>${e(words)}</a>`;
  return plainPage({
    title: 'Agents · local service',
    at: '/agents',
    script: agentsScript,
    body: `<h1>Agents</h1>
<nav class="choices" aria-label="Status">${choice('', 'all')}${statuses.map((each) => choice(each, wordsOf(each))).join('')}</nav>
${tableOf<(typeof data)[number]>(
  'Agents',
  [
    { name: 'status', cell: (agent) => statusMark(agent) },
    { name: 'agent', cell: ({ id, title }) => `<a href="/agents/${e(id)}">${e(title || 'without a title')}</a>` },
    { name: 'workflow', cell: ({ workflowId, workflowName }) => (workflowId ? e(workflowName ?? workflowId) : '') },
    { name: 'project', cell: ({ projectId, projectName }) => (projectId ? e(projectName ?? projectId) : '') },
    { name: 'artifacts', cell: ({ artifacts }) => String(artifacts?.length ?? 0), number: true },
    { name: 'launched', cell: ({ createdAt }) => minute(createdAt ?? null) },
  ],
  data,
  status === '' ? 'None yet. portolan run pipelines/agents.yaml launches some.' : 'None of this status.',
)}
${nextPage('/agents', { status }, nextCursor)}`,
  });
};
