import type { RunEvent } from '../store/run-store.ts';
import type { StepView } from '../workflows/messages.ts';
import { causeTable } from './causes.ts';
import { remedyFor } from './remedies.ts';
import { reportStyle } from './report-style.ts';
import type { RunSnapshot } from './view.ts';

export type ReportData = {
  snapshot: RunSnapshot;
  counts: { step: string; status: string; count: number }[];
  events: RunEvent[];
  links: { temporal?: string };
  writtenAt: string;
};

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for HTML content and quoted attributes. */
export const escapeHtml = (value: unknown): string => String(value).replace(/[&<>"']/g, (sign) => entities[sign]!);

const e = escapeHtml;
const number = (n: number): string => n.toLocaleString('en-US');
const seconds = (ms: number): string =>
  ms < 60_000 ? `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
/** Only web addresses become links: an output may hold any text. */
const value = (item: unknown): string =>
  typeof item === 'string' && /^https?:\/\//.test(item)
    ? `<a href="${e(item)}">${e(item)}</a>`
    : `<code>${e(typeof item === 'string' ? item : JSON.stringify(item))}</code>`;

const rows = (cells: readonly (readonly string[])[], numeric: readonly number[] = []): string =>
  cells
    .map((row) => `<tr>${row.map((cell, at) => `<td${numeric.includes(at) ? ' class="n"' : ''}>${cell}</td>`).join('')}</tr>`)
    .join('\n');

const section = (
  title: string,
  heads: readonly string[],
  body: readonly (readonly string[])[],
  numeric: readonly number[] = [],
  none = '',
): string =>
  body.length === 0
    ? none && `<h2>${title}</h2><p class="quiet">${none}</p>`
    : `<h2>${title}</h2><div class="scroll"><table><thead><tr>${heads.map((head, at) => `<th${numeric.includes(at) ? ' class="n"' : ''}>${head}</th>`).join('')}</tr></thead><tbody>\n${rows(body, numeric)}\n</tbody></table></div>`;

const marks: Record<StepView['status'], string> = {
  waiting: '·',
  running: '●',
  approval: '?',
  done: '✓',
  failed: '✗',
  cancelled: '–',
  skipped: '–',
};

const bars = (steps: readonly StepView[], from: number, to: number): string => {
  const span = Math.max(1, to - from);
  return steps
    .map((step) => {
      const start = step.startedAt ? Date.parse(step.startedAt) : undefined;
      const end = step.endedAt ? Date.parse(step.endedAt) : to;
      const bar =
        start === undefined
          ? ''
          : `<i class="bar ${step.status}" style="left:${(((start - from) / span) * 100).toFixed(2)}%;width:${Math.max(0.4, ((end - start) / span) * 100).toFixed(2)}%"></i>`;
      return `<div class="step"><b class="${step.status}">${marks[step.status]}</b><span>${e(step.id)}<small>${e(step.use)}</small></span><div class="lane">${bar}</div><em>${start === undefined ? '' : seconds(end - start)}</em></div>`;
    })
    .join('\n');
};

const fates = (counts: ReportData['counts']): string => {
  const steps = Map.groupBy(counts, ({ step }) => step);
  const total = (step: string): number => steps.get(step)!.reduce((sum, { count }) => sum + count, 0);
  return section(
    'Items',
    ['step', 'fate', 'items', 'share'],
    counts.map(({ step, status, count }) => [
      e(step),
      `<span class="fate ${e(status)}">${e(status)}</span>`,
      number(count),
      `${((count / total(step)) * 100).toFixed(1)} %`,
    ]),
    [2, 3],
    'No step of this run works on items.',
  );
};

const times = ({ snapshot, events }: ReportData): { from: number; to: number } => ({
  from: Date.parse(snapshot.startedAt),
  to: snapshot.endedAt
    ? Date.parse(snapshot.endedAt)
    : Math.max(
        Date.parse(snapshot.startedAt) + 1,
        ...snapshot.view.steps.map((step) => Date.parse(step.endedAt ?? step.startedAt ?? snapshot.startedAt)),
        ...events.map(({ at }) => Date.parse(at)),
      ),
});

/** One plain, self-contained page about a run: no script, no outside asset, every value escaped. */
export const reportPage = (data: ReportData): string => {
  const { snapshot, events, links } = data;
  const { view } = snapshot;
  const { from, to } = times(data);
  const connections = Object.entries(snapshot.connections)
    .map(([service, name]) => `${service}: ${name}`)
    .join(', ');
  const facts: [string, string][] = [
    ['run', e(view.run)],
    ['took', seconds(to - from)],
    ['started', `${e(snapshot.startedAt)} by ${e(snapshot.startedBy)}`],
    ['connections', e(connections) || '–'],
    ['history', `${number(snapshot.historyEvents)} events`],
    ...(links.temporal ? [['temporal', value(links.temporal)] as [string, string]] : []),
  ];
  const failure = view.error
    ? `<section class="failure"><h2>Why it failed</h2><p><b>${e(view.error.step ?? 'the run')}</b>: ${e(view.error.message)} <code>${e(view.error.type)}</code>${view.error.details?.requestId ? ` request <code>${e(view.error.details.requestId)}</code>` : ''}</p><p>${e(remedyFor(view.error))}</p></section>`
    : '';
  const decisions = view.steps.flatMap(({ id, decision }) =>
    decision ? [[e(id), decision.approve ? 'approved' : 'rejected', e(decision.who), e(decision.note), e(decision.at)]] : [],
  );
  const outputs = Object.entries(view.outputs ?? {}).map(([name, item]) => [e(name), value(item)]);
  const causes = causeTable(events);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${e(view.pipeline)} · ${e(view.run)}</title><style>${reportStyle}</style></head><body><main>
<header><h1><b class="${view.state}">${e(view.state)}</b> ${e(view.pipeline)}</h1><dl>${facts.map(([name, text]) => `<div><dt>${name}</dt><dd>${text}</dd></div>`).join('')}</dl></header>
${failure}
<h2>Steps</h2><div class="steps">
${bars(view.steps, from, to)}
</div>
${section('Outputs', ['name', 'value'], outputs)}
${fates(data.counts)}
${section(
  'Waits by cause',
  ['cause', 'step', 'times', 'time'],
  causes.waits.map((cause) => [e(cause.cause), e(cause.step), number(cause.times), seconds(cause.ms)]),
  [2, 3],
  'Nothing made this run wait.',
)}
${section(
  'Retries and look-ups',
  ['what', 'cause', 'step', 'times', 'last request id'],
  causes.others.map((cause) => [
    e(cause.kind),
    e(cause.cause),
    e(cause.step),
    number(cause.times),
    cause.requestId ? `<code>${e(cause.requestId)}</code>` : '',
  ]),
  [3],
  'Nothing was tried twice.',
)}
${section('Decisions', ['step', 'decision', 'by', 'note', 'at'], decisions)}
<footer>Written ${e(data.writtenAt)} from the run’s workflow and its run store. Overlapping waits of several workers are added up.</footer>
</main></body></html>
`;
};
