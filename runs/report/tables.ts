import { fileURLToPath } from 'node:url';
import { isKept, type Kept } from '../../pipelines/kept.ts';
import type { Json } from '../../text/json.ts';
import type { AlertFate } from '../../store/alert-journal.ts';
import type { RunEvent } from '../../store/run-store.ts';
import type { RunView, StepView } from '../../workflows/messages.ts';
import { approvedActs, shownText } from '../asks.ts';
import { otherCauses } from '../causes.ts';
import { bytes, duration, number } from '../../text/units.ts';
import { escapeHtml as e } from '../../text/html.ts';
import { waitsOf } from '../waits.ts';
import type { Order } from './order.ts';

type Cells = readonly (readonly string[])[];

const rows = (cells: Cells, numeric: readonly number[]): string =>
  cells
    .map((row) => `<tr>${row.map((cell, at) => `<td${numeric.includes(at) ? ' class="n"' : ''}>${cell}</td>`).join('')}</tr>`)
    .join('\n');

/** A heading with a table, with a sentence where there is nothing, or with neither where there is no sentence. */
export const section = (title: string, heads: readonly string[], body: Cells, numeric: readonly number[] = [], none = ''): string =>
  body.length === 0
    ? none && `<h2>${title}</h2><p class="quiet">${none}</p>`
    : `<h2>${title}</h2><div class="scroll"><table><thead><tr>${heads.map((head, at) => `<th${numeric.includes(at) ? ' class="n"' : ''}>${head}</th>`).join('')}</tr></thead><tbody>\n${rows(body, numeric)}\n</tbody></table></div>`;

/** Only web addresses become links: an output may hold any text. */
export const valueText = (item: unknown): string =>
  isKept(item as Json)
    ? `<code>${e(fileURLToPath((item as Kept).$kept))}</code> (${bytes((item as Kept).bytes)})`
    : typeof item === 'string' && /^https?:\/\//.test(item)
      ? `<a href="${e(item)}">${e(item)}</a>`
      : `<code>${e(typeof item === 'string' ? item : JSON.stringify(item))}</code>`;

/** `2026-11-21 12:04:07 UTC`: a page is read in other places than it is written in. */
export const instant = (iso: string): string => e(`${iso.slice(0, 19).replace('T', ' ')} UTC`);

export const parameters = (order: Order | undefined): string =>
  section(
    'Parameters',
    ['name', 'value', 'from'],
    Object.entries(order?.params ?? {}).map(([name, value]) => [
      e(name),
      valueText(value),
      order?.given.includes(name) ? 'given' : 'the file’s default',
    ]),
  );

const alertWords: Readonly<Record<AlertFate['is'], string>> = {
  sent: 'sent',
  failed: 'could not be sent',
  unknown: 'nobody knows whether it was sent',
  trying: 'is tried again',
};

export const alerts = (fates: readonly AlertFate[]): string =>
  section(
    'Alerts',
    ['of', 'step', 'channel', '', 'note', 'at'],
    fates.map((fate) => [
      e(fate.on),
      e(fate.step ?? ''),
      e(fate.channel),
      alertWords[fate.is],
      fate.is === 'trying' ? '' : e(fate.note),
      fate.is === 'trying' ? '' : instant(fate.at),
    ]),
  );

export const outputs = (values: { [name: string]: unknown }): string =>
  section(
    'Outputs',
    ['name', 'value'],
    Object.entries(values).map(([name, item]) => [e(name), valueText(item)]),
  );

export const fates = (counts: readonly { step: string; status: string; count: number }[]): string => {
  const total = (of: string): number => counts.reduce((sum, { step, count }) => (step === of ? sum + count : sum), 0);
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

export const waits = (events: readonly RunEvent[], to: number): string =>
  section(
    'Waits by cause',
    ['cause', 'steps', 'calls', 'added up', 'of the run'],
    waitsOf(events, to).map(({ cause, steps, calls, ms, wallMs }) => [
      e(cause),
      e(steps.join(', ')),
      number(calls),
      duration(ms),
      duration(wallMs),
    ]),
    [2, 3, 4],
    'Nothing made this run wait.',
  );

export const retries = (events: readonly RunEvent[]): string =>
  section(
    'Retries and look-ups',
    ['what', 'cause', 'step', 'times', 'last request id'],
    otherCauses(events).map(({ kind, cause, step, times, requestId }) => [
      e(kind),
      e(cause),
      e(step),
      number(times),
      requestId ? `<code>${e(requestId)}</code>` : '',
    ]),
    [3],
    'Nothing was tried twice.',
  );

/** Steps that failed and were tried again by their `onError`. */
export const tries = (steps: readonly StepView[]): string =>
  section(
    'Tries of steps',
    ['step', 'try', 'of', 'begins', 'why the one before failed'],
    steps.flatMap(({ id, retries: last }) =>
      last
        ? [
            [
              e(id),
              number(last.now),
              number(last.of),
              last.at === undefined ? '' : instant(last.at),
              `${e(last.error.message)} <code>${e(last.error.type)}</code>`,
            ],
          ]
        : [],
    ),
    [1, 2],
  );

export const reused = (steps: readonly StepView[]): string =>
  section(
    'Reused',
    ['step', 'from run'],
    steps.flatMap(({ id, reusedFrom }) => (reusedFrom === undefined ? [] : [[e(id), `<code>${e(reusedFrom)}</code>`]])),
  );

const decisionCells = (decision: StepView['decision']): string[] =>
  decision ? [decision.approve ? 'approved' : 'rejected', e(decision.who), e(decision.note), instant(decision.at)] : ['waits', '', '', ''];

/** What was asked of people, and what they decided. */
export const approvals = (steps: readonly StepView[]): string =>
  section(
    'Approvals',
    ['step', 'lets happen', 'shows', 'decision', 'by', 'note', 'at'],
    steps.flatMap(({ id, asks, decision, startedAt }) =>
      asks && startedAt !== undefined
        ? [[e(id), approvedActs(asks).map(e).join('<br>'), e(shownText(asks) ?? ''), ...decisionCells(decision)]]
        : [],
    ),
  );

export const pauses = (all: RunView['pauses']): string =>
  section(
    'Pauses',
    ['from', 'to', 'by', 'note'],
    (all ?? []).map(({ from, to, who, note }) => [instant(from), to === undefined ? '' : instant(to), e(who), e(note ?? '')]),
  );
