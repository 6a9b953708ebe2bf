import { costOf, hasEnded } from '../../../contracts/instance/agent-shapes.ts';
import { escapeHtml as e } from '../../../text/html.ts';
import { cost } from '../../../text/money.ts';
import { number } from '../../../text/units.ts';
import { minute, plainPage, tableOf } from '../plain-page.ts';
import { statusMark } from './agent-words.ts';
import { agentsScript } from './agents-page.ts';
import { artifactHtml } from './artifact.ts';
import { conversationHtml } from './conversation.ts';
import { reader, type InstancePagesState } from './state.ts';

/** Artifacts that a page draws. */
const mostArtifacts = 20;

const linked = (path: string, id: string | null | undefined, name: string | null | undefined): string =>
  id ? `<a href="${path}/${encodeURIComponent(id)}">${e(name ?? id)}</a>` : '';

/** The form that an agent of this status takes: a further prompt of one that has ended, the end of one that has not. */
const formOf = (id: string, status: string): string =>
  hasEnded({ status })
    ? `<form class="prompt" method="post" action="/agents/${e(id)}/followup"><label for="prompt">Follow-up</label><textarea id="prompt" name="prompt" rows="3" required></textarea><button>Send</button></form>`
    : `<form class="prompt" method="post" action="/agents/${e(id)}/stop"><button>Stop</button></form>`;

/** One agent: what was said and done, what it has made, what it has cost. */
export const agentPage = async (state: InstancePagesState, id: string, before: string): Promise<Response> => {
  const {
    files,
    operations: { agents },
  } = state;
  const caller = reader(state);
  const agent = await agents.get({ id }, caller);
  const { messages } = await agents.conversation({ id, include: ['steps'] }, caller);
  const { spend } = await agents.usage({ id }, caller);
  const made = await Promise.all(
    (agent.artifacts ?? []).slice(0, mostArtifacts).map(async (each) => agents.artifact({ id, artifactId: each.id }, caller)),
  );
  const given = (agent.activeFileIds ?? []).map((file) => files.find(caller, file)?.name ?? file);
  const facts = [
    agent.model ? `model ${e(agent.model)}` : '',
    linked('/workflows', agent.workflowId, agent.workflowName),
    linked('/projects', agent.projectId, agent.projectName),
    agent.parentSessionId ? linked('/agents', agent.parentSessionId, 'its parent') : '',
    `launched ${minute(agent.createdAt ?? null)}`,
  ].filter(Boolean);
  return plainPage({
    title: `${agent.title ?? 'Agent'} · agent`,
    at: '/agents',
    script: agentsScript,
    formTo: "'self'",
    body: `<div data-one><h1>${e(agent.title || 'Agent')}</h1>
<p>${statusMark(agent)} <span class="quiet">${facts.join(' · ')}</span></p>
${agent.retry ? `<p role="status">${agent.retry.operatorActionRequired ? 'The provider failed, and nobody tries again' : `The provider failed; it is asked again ${minute(agent.retry.nextRetryAt ?? null)}`}: ${e(agent.retry.reason ?? agent.retry.category ?? '')}</p>` : ''}
${given.length === 0 ? '' : `<p class="quiet">May read: ${given.map((name) => e(name)).join(', ')}</p>`}
<h2>Conversation</h2>${conversationHtml(id, messages, before, !hasEnded(agent))}
${formOf(id, agent.status)}
<h2>Artifacts</h2>${made.length === 0 ? '<p class="quiet">None.</p>' : made.map((each) => artifactHtml(id, each)).join('\n')}
${(agent.artifacts ?? []).length > mostArtifacts ? `<p class="quiet">The first ${mostArtifacts} of ${number(agent.artifacts!.length)}.</p>` : ''}
<h2>Cost</h2>${tableOf<(typeof spend)[number]>(
      'Cost',
      [
        { name: 'model', cell: ({ model }) => e(model) },
        { name: 'tokens in', cell: ({ inputTokens }) => number(inputTokens ?? 0), number: true },
        { name: 'tokens out', cell: ({ outputTokens }) => number(outputTokens ?? 0), number: true },
        { name: 'cost', cell: ({ costUsd }) => cost(costUsd), number: true },
      ],
      spend,
      'Nothing yet.',
    )}
${spend.length > 1 ? `<p class="quiet">${cost(costOf({ spend }))} together, sub-agents included.</p>` : ''}</div>`,
  });
};
