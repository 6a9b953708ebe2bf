import { fileURLToPath } from 'node:url';
import { isKept, type Kept } from '../../pipelines/kept.ts';
import { displacedBy } from '../../pipelines/lock.ts';
import type { Json } from '../../text/json.ts';
import type { JournalFigures } from '../../runs/journal.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import { approvedActs, shownText } from '../../runs/asks.ts';
import type { RunLine } from '../../runs/list.ts';
import { countWords } from '../../runs/count-words.ts';
import { undoWords } from '../../runs/undo-words.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';
import { argument } from '../../text/shell.ts';
import { table } from './table.ts';
import { bytes, counted, duration, stamp } from '../../text/units.ts';

export type ClosingLinks = { report?: string; temporal?: string; journal?: JournalFigures; undone?: RunLine['undone'] };

const outputText = (value: Json): string =>
  plain(typeof value === 'string' ? value : isKept(value) ? keptText(value) : JSON.stringify(value));

/** Where a large value stands. */
const keptText = ({ $kept, bytes: size }: Kept): string => `${bytes(size)} in ${fileURLToPath($kept)}`;

const sums = ({ view: { steps } }: RunSnapshot): string => {
  const total: { [name: string]: number } = {};
  for (const step of steps) for (const [name, n] of Object.entries(step.counts ?? {})) total[name] = (total[name] ?? 0) + n;
  const reused = steps.filter(({ reusedFrom }) => reusedFrom !== undefined).length;
  const words = [...(reused > 0 ? [`${counted(reused, 'step')} reused`] : []), ...countWords(total)];
  return words.slice(0, 5).join(' · ');
};

const journalLine = ({ effects, repeated, harmless, early }: JournalFigures): string =>
  [
    counted(effects, 'effect') + ' sent',
    `${repeated} repeated`,
    ...(harmless > 0 ? [counted(harmless, 'harmless repeat')] : []),
    `${counted(early, 'call')} before their Retry-After`,
  ].join(' · ');

/** The block that ends `run`: outcome, outputs, and where to look further. */
export const renderClosing = (snapshot: RunSnapshot, links: ClosingLinks, paint: Paint): string => {
  const { view } = snapshot;
  const took = duration(Date.parse(snapshot.endedAt ?? new Date().toISOString()) - Date.parse(snapshot.startedAt));
  const name = paint.bold(view.pipeline);
  const figures = sums(snapshot);
  const heads: Record<string, string> = {
    done: `${paint.green('✓')} ${name}  ${view.undoes === undefined ? 'done' : 'undone'} in ${took}${figures ? `   ${figures}` : ''}`,
    failed: `${paint.red('✗')} ${name}  failed after ${took}${view.error ? `${view.error.step ? ` in step ${view.error.step}` : ''}: ${plain(view.error.message)}` : ''}`,
    cancelled: `${paint.yellow('–')} ${name}  cancelled after ${took}${plain(displacedBy(view.displaced))}; what was done stays done`,
    refused: `${paint.yellow('–')} ${name}  refused: ${plain(view.error?.message ?? 'its key is held')}`,
    approval: `${paint.yellow('?')} ${name}  waits for a person after ${took}`,
  };
  const rows: [string, string][] = Object.entries(view.outputs ?? {}).map(([key, value]) => [key, outputText(value)]);
  if (view.state === 'failed' || view.state === 'refused') rows.push(['why', `portolan why ${view.run}`]);
  if (view.state === 'approval')
    for (const child of [...view.steps.map((step) => step.child), view.undo])
      for (const step of child?.state === 'approval' ? child.asks : [])
        rows.push(['approve', `portolan approve ${child!.run} ${argument(step)} --note '…'   (or reject)`]);
  if (view.state === 'approval')
    for (const { id, asks } of view.steps.filter(({ status }) => status === 'approval')) {
      rows.push(['approve', `portolan approve ${view.run} ${argument(id)} --note '…'   (or reject)`]);
      if (!asks) continue;
      for (const act of approvedActs(asks)) rows.push(['  lets', plain(act)]);
      if (asks.show !== undefined) rows.push(['  shows', plain(shownText(asks)!)]);
      if (asks.expiresAt !== undefined) rows.push(['  expires', stamp(asks.expiresAt)]);
    }
  if (view.undoes !== undefined) rows.push(['undoes', view.undoes]);
  if (links.undone) rows.push(['undo', undoWords(links.undone)]);
  if (links.report) rows.push(['report', links.report]);
  if (links.temporal) rows.push(['temporal', links.temporal]);
  if (links.journal) rows.push(['journal', journalLine(links.journal)]);
  return `${heads[view.state] ?? `${name}  ${view.state}`}\n${table(rows, [], '  ')}`;
};
