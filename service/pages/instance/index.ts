import { HttpError, invalidParameter } from '../../core/errors.ts';
import { isFormat } from '../../engine/agents/exports/make-export.ts';
import type { Routes } from '../routes.ts';
import { act } from './act.ts';
import { agentPage } from './agent-page.ts';
import { wordsOf } from './agent-words.ts';
import { agentsPage } from './agents-page.ts';
import { budgetPage, budgetsPage } from './budgets-page.ts';
import { filePage, filesPage } from './files-page.ts';
import { projectPage, projectsPage } from './projects-page.ts';
import { reader, type InstancePagesState } from './state.ts';
import { workflowPage, workflowsPage } from './workflows-page.ts';

/** Agents whose statuses are asked for at once: more than a page lists. */
const mostAsked = 100;

/** Pages of what the instance API has. They read what its operations answer the first user, and their forms send such operations with a key. */
export const addInstancePages = ({ page, form, load }: Routes, state: InstancePagesState): void => {
  page('/agents', (_, query) => agentsPage(state, query('status'), query('cursor')));
  page('/agents/:id', (param, query) => agentPage(state, param('id'), query('before')));
  page('/projects', (_, query) => projectsPage(state, query('q'), query('cursor')));
  page('/projects/:id', (param, query) => projectPage(state, param('id'), query('cursor')));
  page('/files', (_, query) => filesPage(state, query('q'), query('cursor')));
  page('/files/:id', (param) => filePage(state, param('id')));
  page('/workflows', (_, query) => workflowsPage(state, query('q'), query('cursor')));
  page('/workflows/:id', (param, query) => workflowPage(state, param('id'), query('version'), query('cursor')));
  page('/budgets', (_, query) => budgetsPage(state, query('cursor')));
  page('/budgets/:id', (param, query) => budgetPage(state, param('id'), query('cursor')));
  // The URL of an export ends after minutes: it is asked for when somebody takes the file.
  page('/agents/:id/artifacts/:artifact/:format', async (param) => {
    const format = param('format');
    if (!isFormat(format)) throw new HttpError(404, `export not found: ${format}`);
    const asked = { id: param('id'), artifactId: param('artifact'), format };
    const { url } = await state.operations.agents.export(asked, reader(state));
    return new Response(null, { status: 303, headers: { location: url, 'cache-control': 'no-store' } });
  });

  form('/agents/:id/stop', async (param) => {
    await act(state, 'instance.agents.stop', { id: param('id') });
    return `/agents/${encodeURIComponent(param('id'))}`;
  });
  form('/agents/:id/followup', async (param, field) => {
    await act(state, 'instance.agents.followup', { id: param('id'), prompt: { text: field('prompt') } });
    return `/agents/${encodeURIComponent(param('id'))}`;
  });
  form('/workflows/:id/release', async (param, field) => {
    await act(state, 'instance.workflows.release', { workflowId: param('id'), versionId: field('version') });
    return `/workflows/${encodeURIComponent(param('id'))}`;
  });

  load('/pages/agents', async ({ req }) => {
    const ids = (req.query('ids') ?? '').split(',').filter(Boolean);
    if (ids.length > mostAsked) throw invalidParameter('ids', `holds more than ${mostAsked}`);
    return { agents: Object.fromEntries(await Promise.all(ids.map((id) => statusOf(state, id)))) };
  });
};

/** Null: it is gone. */
const statusOf = async (state: InstancePagesState, id: string) => {
  try {
    const { status, updatedAt } = await state.operations.agents.get({ id }, reader(state));
    return [id, { status, words: wordsOf(status), updatedAt }] as const;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return [id, null] as const;
    throw error;
  }
};
