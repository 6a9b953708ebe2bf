import type { AlertFate } from '../../store/alert-journal.ts';
import type { RunEvent } from '../../store/run-store.ts';
import type { Compared } from '../compare.ts';
import type { Loss } from '../losses.ts';
import { momentsOf } from '../losses.ts';
import { remedyFor } from '../../errors/remedies.ts';
import { nextCommand } from '../next-command.ts';
import { agentCosts, agentItems } from './agent-tables.ts';
import type { AgentStep } from './agents.ts';
import { plots } from './plots.ts';
import { reportStyle } from './style.ts';
import type { Order } from './order.ts';
import { alerts, approvals, fates, instant, outputs, parameters, pauses, retries, reused, tries, waits } from './tables.ts';
import { picture } from './picture.ts';
import { planned } from './planned.ts';
import { timeline } from './timeline.ts';
import { escapeHtml as e, escapeParts } from '../../text/html.ts';
import { duration, number } from '../../text/units.ts';
import type { Span } from '../spans.ts';
import type { RunLine } from '../list.ts';
import { undoWords } from '../undo-words.ts';
import type { RunSnapshot } from '../view.ts';

export type ReportData = {
  snapshot: RunSnapshot;
  counts: { step: string; status: string; count: number }[];
  events: RunEvent[];
  losses: Loss[];
  alerts: AlertFate[];
  links: { temporal?: string };
  /** Steps that have launched agents. */
  agents?: AgentStep[];
  order?: Order | undefined;
  /** What was planned against what was sent, where the plan is known. */
  compared?: Compared;
  /** The last run that takes this one back. */
  undone?: RunLine['undone'];
  writtenAt: string;
};

const timesOf = ({ snapshot, events }: ReportData): Span => {
  const from = Date.parse(snapshot.startedAt);
  if (snapshot.endedAt) return { from, to: Date.parse(snapshot.endedAt) };
  const last = (latest: number, at: string): number => Math.max(latest, Date.parse(at));
  const steps = snapshot.view.steps.map((step) => step.endedAt ?? step.startedAt ?? snapshot.startedAt);
  return { from, to: [...steps, ...events.map(({ at }) => at)].reduce(last, from + 1) };
};

const facts = ({ snapshot, losses, links, order, undone }: ReportData, run: Span): [string, string][] => {
  const connections = Object.entries(snapshot.connections).map(([service, name]) => `${service}: ${name}`);
  const lost = momentsOf(losses).length;
  return [
    ['run', e(snapshot.view.run)],
    ['took', duration(run.to - run.from)],
    ...(snapshot.view.undoes === undefined ? [] : [['undoes', e(snapshot.view.undoes)] as [string, string]]),
    ...(undone ? [['undo', e(undoWords(undone))] as [string, string]] : []),
    ['started', `${instant(snapshot.startedAt)} by ${e(snapshot.startedBy)}`],
    ...(order?.file === undefined ? [] : [['file', escapeParts(order.file)] as [string, string]]),
    ['connections', e(connections.join(', ')) || '–'],
    ['history', `${number(snapshot.historyEvents)} events`],
    ...(lost > 0 ? [['workers lost', number(lost)] as [string, string]] : []),
    ...(links.temporal ? [['temporal', `<a href="${e(links.temporal)}">workflow in the Web UI</a>`] as [string, string]] : []),
  ];
};

const failure = ({ view }: RunSnapshot): string =>
  view.error
    ? `<section class="failure"><h2>Why it failed</h2><p><b>${e(view.error.step ?? 'the run')}</b>: ${e(view.error.message)} <code>${e(view.error.type)}</code>${view.error.details?.requestId ? ` request <code>${e(view.error.details.requestId)}</code>` : ''}</p><p>${e(remedyFor(view.error))}, then: <code>${e(nextCommand(view, view.error))}</code></p></section>`
    : '';

/** One plain, self-contained page about a run: no script, no outside asset, every value escaped. */
export const reportPage = (data: ReportData): string => {
  const { snapshot, events, losses } = data;
  const { view } = snapshot;
  const run = timesOf(data);
  const drawn = { steps: view.steps, events, losses, run };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${e(view.pipeline)} · ${e(view.run)}</title><style>${reportStyle}</style></head><body><main>
<header><h1><b class="${view.state}">${e(view.state)}</b> ${e(view.pipeline)}</h1><dl>${facts(data, run)
    .map(([name, text]) => `<div><dt>${name}</dt><dd>${text}</dd></div>`)
    .join('')}</dl></header>
${[
  failure(snapshot),
  timeline(drawn),
  picture(data.order, view),
  parameters(data.order),
  outputs(view.outputs ?? {}),
  plots(drawn),
  fates(data.counts),
  agentCosts(data.agents ?? [], snapshot.connections),
  agentItems(data.agents ?? []),
  waits(events, run.to),
  tries(view.steps),
  retries(events),
  reused(view.steps),
  approvals(view.steps),
  alerts(data.alerts),
  planned(data.compared),
  pauses(view.pauses),
]
  .filter(Boolean)
  .join('\n')}
<footer>Written ${instant(data.writtenAt)} from the run’s workflow and its run store. “Added up” counts overlapping waits of several calls each, “of the run” counts them once. A worker’s loss stands where its work was taken up again.</footer>
</main></body></html>
`;
};
