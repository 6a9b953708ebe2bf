import type { z } from 'zod';
import type { instance } from '../../../contracts/instance/index.ts';
import { escapeHtml as e } from '../../../text/html.ts';
import { number } from '../../../text/units.ts';
import { findForm, minute, nextPage, plainPage, tableOf } from '../plain-page.ts';
import { budgetHtml } from './budgets-page.ts';
import { reader, type InstancePagesState } from './state.ts';

type Project = z.input<(typeof instance.projects.get)['output']>;
type Member = z.input<(typeof instance.projects.members)['output']>['data'][number];

/** Projects, and members of one, of a page. */
const shown = 50;

/** Projects that the user may read, the newest first. */
export const projectsPage = async (state: InstancePagesState, search: string, cursor: string): Promise<Response> => {
  const asked = { search, limit: shown, ...(cursor === '' ? {} : { cursor }) };
  const { data, nextCursor, totalCount } = await state.operations.projects.list(asked, reader(state));
  return plainPage({
    title: 'Projects · local service',
    at: '/projects',
    formTo: "'self'",
    body: `<h1>Projects</h1>
${findForm('/projects', 'Part of a name or number', search)}
<p class="quiet">${number(totalCount ?? data.length)} ${totalCount === 1 ? 'project' : 'projects'}</p>
${tableOf<Project>(
  'Projects',
  [
    { name: 'name', cell: ({ id, name }) => `<a href="/projects/${e(id)}">${e(name)}</a>` },
    { name: 'number', cell: ({ projectNumber }) => e(projectNumber ?? '') },
    { name: 'description', cell: ({ description }) => e(description ?? '') },
    { name: 'made', cell: ({ createdAt }) => minute(createdAt ?? null) },
  ],
  data,
  search === '' ? 'None yet.' : 'None of this name.',
)}
${nextPage('/projects', { q: search }, nextCursor)}`,
  });
};

/** One project: its members with their roles, and its budget where the user administers it. */
export const projectPage = async (state: InstancePagesState, id: string, cursor: string): Promise<Response> => {
  const caller = reader(state);
  const { projects, budgets } = state.operations;
  const project = await projects.get({ id }, caller);
  const { data, nextCursor, totalCount } = await projects.members({ id, limit: shown, ...(cursor === '' ? {} : { cursor }) }, caller);
  const { data: funded } = await budgets.list({ projectId: id }, caller);
  return plainPage({
    title: `${project.name} · project`,
    at: '/projects',
    body: `<h1>${e(project.name)}</h1>${project.description ? `<p>${e(project.description)}</p>` : ''}
<p class="quiet">${project.projectNumber ? `${e(project.projectNumber)} · ` : ''}made ${minute(project.createdAt ?? null)} · <code>${e(id)}</code></p>
${funded.length === 0 ? '' : `<h2>Budget</h2>${funded.map((each) => budgetHtml(each, 0)).join('')}`}
<h2>Members</h2><p class="quiet">${number(totalCount ?? data.length)} ${totalCount === 1 ? 'member' : 'members'}</p>
${tableOf<Member>(
  'Members',
  [
    { name: 'name', cell: ({ name, id: user }) => e(name ?? user) },
    { name: 'mail', cell: ({ email }) => e(email ?? '') },
    { name: 'role', cell: ({ role }) => e(role) },
  ],
  data,
  'None.',
)}
${nextPage(`/projects/${encodeURIComponent(id)}`, {}, nextCursor)}`,
  });
};
