import type { RunEvent } from '../store/run-store.ts';
import type { Span } from './spans.ts';

/** What a sweep did over time, from its acknowledged chunks; per bin of `binMs` from `from` on. */
export type Pace = Span & {
  step: string;
  binMs: number;
  /** Items per second, bytes per second, and items done at the end of each bin. */
  itemsPerSecond: number[];
  bytesPerSecond?: number[];
  cumulative: number[];
  items: number;
  bytes?: number;
  /** Milliseconds of each chunk's last attempt, shortest first. */
  durations: number[];
};

/** Points of one plot: more cannot be distinguished on a page. Below this time a bin shows single chunks, not a rate. */
const mostBins = 240;
const leastBinMs = 250;

/** The chunks of a run by step, each once: after a kill the same one may have been written twice. */
export function chunksOf(events: readonly RunEvent[]): Map<string, RunEvent[]> {
  const latest = new Map(events.flatMap((event) => (event.kind === 'chunk' ? [[`${event.step}/${event.chunk}`, event] as const] : [])));
  return Map.groupBy(latest.values(), ({ step }) => step);
}

/** The chunk's last attempt as a piece of time. */
export const spanOf = ({ at, ms = 0 }: RunEvent): Span => ({ from: Date.parse(at) - ms, to: Date.parse(at) });

/** Bins the chunks of one step. A chunk's items are spread over the time of its last attempt. */
export function paceOf(step: string, chunks: readonly RunEvent[]): Pace | undefined {
  if (chunks.length === 0) return undefined;
  const spans = chunks.map(spanOf);
  const from = Math.min(...spans.map((span) => span.from));
  const to = Math.max(from + 1, ...spans.map((span) => span.to));
  const bins = Math.max(1, Math.min(mostBins, Math.ceil((to - from) / leastBinMs)));
  const binMs = (to - from) / bins;
  const spread = (of: (event: RunEvent) => number): number[] => {
    const sums = Array.from({ length: bins }, () => 0);
    chunks.forEach((event, index) => {
      const { from: begin, to: end } = spans[index]!;
      const first = Math.min(bins - 1, Math.floor((begin - from) / binMs));
      const last = Math.min(bins - 1, Math.floor((end - from) / binMs));
      for (let bin = first; bin <= last; bin++) {
        const overlap = Math.min(end, from + (bin + 1) * binMs) - Math.max(begin, from + bin * binMs);
        sums[bin]! += end === begin ? of(event) : (of(event) * Math.max(0, overlap)) / (end - begin);
      }
    });
    return sums;
  };
  const perSecond = (sums: readonly number[]): number[] => sums.map((sum) => (sum * 1_000) / binMs);
  const items = spread((event) => event.items ?? 0);
  const total = (of: (event: RunEvent) => number): number => chunks.reduce((sum, event) => sum + of(event), 0);
  const bytes = total((event) => event.bytes ?? 0);
  let done = 0;
  return {
    step,
    from,
    to,
    binMs,
    itemsPerSecond: perSecond(items),
    ...(bytes > 0 ? { bytes, bytesPerSecond: perSecond(spread((event) => event.bytes ?? 0)) } : {}),
    cumulative: items.map((sum) => (done += sum)),
    items: total((event) => event.items ?? 0),
    durations: chunks.map(({ ms = 0 }) => ms).toSorted((a, b) => a - b),
  };
}
