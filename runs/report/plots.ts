import type { RunEvent } from '../../store/run-store.ts';
import type { StepView } from '../../workflows/messages.ts';
import { momentsOf, type Loss } from '../losses.ts';
import { chunksOf, paceOf, type Pace } from '../pace.ts';
import { plotFigure, type Plot } from './plot.ts';
import { bytes, duration, number, short } from '../../text/units.ts';
import { escapeHtml as e } from '../../text/html.ts';
import { waitsOf } from '../waits.ts';
import { onGrid, type Span } from '../spans.ts';

export type PlotData = { steps: readonly StepView[]; events: readonly RunEvent[]; losses: readonly Loss[]; run: Span };

/** Pieces of waiting that can be distinguished on a plot. */
const shades = 150;

/** Fewer chunks have no course that could be drawn. */
const fewest = 3;

/** What each sweep did over time; a sentence where a run kept no chunks. */
export function plots(data: PlotData): string {
  const chunks = chunksOf(data.events);
  const paces = data.steps.flatMap(({ id }) => paceOf(id, chunks.get(id) ?? []) ?? []);
  const swept = data.steps.some(({ kind, status, reusedFrom }) => kind === 'sweep' && status === 'done' && reusedFrom === undefined);
  if (paces.length === 0)
    return swept ? '<h2>Over time</h2><p class="quiet">No chunk of this run was written down, so there is nothing to plot.</p>' : '';
  return `<h2>Over time</h2>\n${paces.map((pace) => panel(pace, data)).join('\n')}`;
}

function panel(pace: Pace, { steps, events, losses, run }: PlotData): string {
  const step = steps.find(({ id }) => id === pace.step)!;
  const span: Span = pace;
  const unit = step.progress?.unit ?? 'items';
  const share = (at: number): number => (at - span.from) / (span.to - span.from);
  const sinceStart = (at: number): string => duration(Math.max(0, at - run.from));
  const waits = waitsOf(events.filter((event) => event.step === pace.step)).flatMap(({ spans }) => onGrid(spans, span, shades));
  const over: Pick<Plot, 'as' | 'ends' | 'waits' | 'marks'> = {
    as: 'line',
    ends: [sinceStart(span.from), sinceStart((span.from + span.to) / 2), sinceStart(span.to)],
    waits: waits.map(({ from, to }) => ({ from: share(from), to: share(to) })),
    marks: momentsOf(losses, pace.step)
      .filter((at) => at >= span.from && at <= span.to)
      .map(share),
  };
  const mean = (sum: number): number => (sum * 1_000) / (span.to - span.from);
  const figures =
    pace.durations.length < fewest
      ? []
      : [
          plotFigure({
            ...over,
            title: `${unit} per second`,
            values: pace.itemsPerSecond,
            unit: short,
            note: `mean ${number(mean(pace.items))}`,
          }),
          plotFigure({ ...over, title: `${unit} done`, values: pace.cumulative, unit: short, note: number(pace.items) }),
          ...(pace.bytesPerSecond && pace.bytes
            ? [
                plotFigure({
                  ...over,
                  title: 'bytes per second',
                  values: pace.bytesPerSecond,
                  unit: bytes,
                  note: `mean ${bytes(mean(pace.bytes))}`,
                }),
              ]
            : []),
          histogram(pace.durations),
        ];
  const figure = `${number(pace.durations.length)} chunk${pace.durations.length === 1 ? '' : 's'} in ${duration(span.to - span.from)}${pace.bytes ? ` · ${bytes(pace.bytes)} sent` : ''}`;
  return `<section class="panel"><h3>${e(pace.step)}<small>${e(step.use)} · ${e(figure)}</small></h3>${figures.length === 0 ? '' : `<div class="plots">${figures.join('\n')}</div>`}</section>`;
}

function histogram(durations: readonly number[]): string {
  const most = durations.at(-1)!;
  const bins = Array.from({ length: Math.min(24, Math.max(4, Math.ceil(Math.sqrt(durations.length) * 2))) }, () => 0);
  for (const ms of durations) bins[Math.min(bins.length - 1, Math.floor((ms / Math.max(1, most)) * bins.length))]!++;
  const quantile = (share: number): number => durations[Math.min(durations.length - 1, Math.floor(share * durations.length))]!;
  return plotFigure({
    title: 'chunks by duration',
    values: bins,
    as: 'bars',
    unit: short,
    ends: ['0 s', duration(most / 2), duration(most)],
    note: `median ${duration(quantile(0.5))}, 95 % below ${duration(quantile(0.95))}`,
  });
}
