import type { RunEvent } from '../store/run-store.ts';
import { union, type Span } from './spans.ts';

/** Everything that one cause made a run wait for. */
export type Waits = {
  cause: string;
  steps: string[];
  /** Calls that waited, and their waiting times added up. */
  calls: number;
  ms: number;
  /** The time in which at least one call waited, without overlaps. */
  spans: Span[];
  wallMs: number;
};

// Figures in a cause (a limit's rest in seconds) would make every wait a cause of its own.
export const heading = (event: Pick<RunEvent, 'limit' | 'cause'>): string =>
  event.limit ?? event.cause.replace(/\b\d+(\.\d+)? ?m?s\b/g, '…');

/** The waits of a run by cause, longest first. A wait is written when it begins, so one may still go on at `now`. */
export function waitsOf(events: readonly RunEvent[], now: number = Infinity): Waits[] {
  const causes = Map.groupBy(
    events.filter(({ kind }) => kind === 'wait'),
    heading,
  );
  return [...causes]
    .map(([cause, found]): Waits => {
      const each = found.map(({ at, ms = 0 }) => ({ from: Date.parse(at), to: Math.min(now, Date.parse(at) + ms) }));
      const spans = union(each);
      const sum = (all: readonly Span[]): number => all.reduce((total, { from, to }) => total + Math.max(0, to - from), 0);
      return { cause, steps: [...new Set(found.map(({ step }) => step))], calls: found.length, ms: sum(each), spans, wallMs: sum(spans) };
    })
    .sort((a, b) => b.wallMs - a.wallMs);
}

/** Milliseconds of the run in which it waited, by cause. */
export const waitedOf = (events: readonly RunEvent[], now: number): ReadonlyMap<string, number> =>
  new Map(waitsOf(events, now).map(({ cause, wallMs }) => [cause, wallMs]));
