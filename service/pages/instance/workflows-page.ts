import type { z } from 'zod';
import type { instance } from '../../../contracts/instance/index.ts';
import { escapeHtml as e } from '../../../text/html.ts';
import { cost } from '../../../text/money.ts';
import { number } from '../../../text/units.ts';
import { findForm, minute, nextPage, plainPage, tableOf } from '../plain-page.ts';
import { reader, type InstancePagesState } from './state.ts';

type Listed = z.input<(typeof instance.workflows.list)['output']>['data'][number];
type Version = z.input<(typeof instance.workflows.versions)['output']>[number];

/** Workflows of a page, and versions of one. */
const shown = 50;

const slots = (requested: Listed['requestedFiles']): string =>
  (requested ?? [])
    .map(({ name, optional, multiple }) => `${name}${multiple ? ', several' : ''}${optional ? ', optional' : ''}`)
    .join('; ');

/** Workflows that the user may run, the newest first. */
export const workflowsPage = async (state: InstancePagesState, query: string, cursor: string): Promise<Response> => {
  const asked = { query, limit: shown, ...(cursor === '' ? {} : { cursor }) };
  const { data, nextCursor } = await state.operations.workflows.list(asked, reader(state));
  return plainPage({
    title: 'Workflows · local service',
    at: '/workflows',
    formTo: "'self'",
    body: `<h1>Workflows</h1>
${findForm('/workflows', 'Part of a name or description', query)}
${tableOf<Listed>(
  'Workflows',
  [
    { name: 'name', cell: ({ id, name }) => `<a href="/workflows/${e(id)}">${e(name)}</a>` },
    { name: 'description', cell: ({ description }) => e(description ?? '') },
    { name: 'files', cell: ({ requestedFiles }) => e(slots(requestedFiles)) },
  ],
  data,
  query === '' ? 'None yet.' : 'None of this name.',
)}
${nextPage('/workflows', { q: query }, nextCursor)}`,
  });
};

const release = (workflow: string, { id, version, isReleased }: Version): string =>
  isReleased
    ? '<b class="status" data-status="finished">released</b>'
    : `<form method="post" action="/workflows/${e(workflow)}/release"><input type="hidden" name="version" value="${e(id)}"><button aria-label="Release version ${version}">Release</button></form>`;

/** One workflow: its versions with their runs and costs, and what the one says that is shown. */
export const workflowPage = async (state: InstancePagesState, workflowId: string, versionId: string, cursor: string): Promise<Response> => {
  const caller = reader(state);
  const { workflows } = state.operations;
  const found = await workflows.get({ workflowId, ...(versionId === '' ? {} : { versionId }) }, caller);
  const behind = cursor === '' ? Infinity : Number(cursor);
  const versions = (await workflows.versions({ workflowId }, caller)).filter(({ version }) => version < behind);
  const { version } = found;
  const path = `/workflows/${encodeURIComponent(workflowId)}`;
  return plainPage({
    title: `${found.name} · workflow`,
    at: '/workflows',
    formTo: "'self'",
    body: `<h1>${e(found.name)}</h1>${found.description ? `<p>${e(found.description)}</p>` : ''}
<p class="quiet">${found.isShared ? 'shared · ' : ''}${found.releasedVersionId ? '' : 'nothing released yet · '}<code>${e(found.id)}</code></p>
<h2>Versions</h2>${tableOf<Version>(
      'Versions',
      [
        {
          name: 'version',
          cell: ({ id, version: number_ }) =>
            `<a href="${path}?version=${encodeURIComponent(id)}"${id === version.id ? ' aria-current="true"' : ''}>${number_}</a>`,
          number: true,
        },
        { name: '', cell: (each) => release(workflowId, each) },
        { name: 'runs', cell: ({ runCount }) => number(runCount ?? 0), number: true },
        { name: 'a run', cell: ({ averageCostUsd }) => (averageCostUsd == null ? '–' : cost(averageCostUsd)), number: true },
        { name: 'together', cell: ({ totalCostUsd }) => cost(totalCostUsd ?? 0), number: true },
        { name: 'edited', cell: ({ updatedAt }) => minute(updatedAt ?? null) },
        { name: 'by', cell: ({ authorEmail }) => e(authorEmail ?? '') },
      ],
      versions.slice(0, shown),
      'None.',
    )}
${nextPage(path, { version: versionId }, versions.length > shown ? String(versions[shown - 1]!.version) : null)}
<h2>Version ${e(version.version)}</h2>
<p class="quiet">mode ${e(version.mode ?? '–')} · model ${e(version.model ?? '–')}${(version.requestedFiles ?? []).length === 0 ? '' : ` · files: ${e(slots(version.requestedFiles))}`}</p>
<div class="said document">${e(version.instructionMarkdown || 'No instructions.')}</div>
${(version.linkedArtifacts ?? []).length === 0 ? '' : `<h2>Linked artifacts</h2><ul>${version.linkedArtifacts!.map(({ name, type }) => `<li>${e(name ?? '')} <span class="quiet">${e(type ?? '')}</span></li>`).join('')}</ul>`}`,
  });
};
