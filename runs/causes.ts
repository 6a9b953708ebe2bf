import type { RunEvent } from '../store/run-store.ts';

export type Cause = { kind: RunEvent['kind']; cause: string; step: string; times: number; ms: number; requestId?: string };

// Figures in a cause (a limit's rest in seconds) would make every wait a cause of its own.
const heading = (event: RunEvent): string => event.limit ?? event.cause.replace(/\b\d+(\.\d+)? ?m?s\b/g, '…');

/** Events summed by kind, cause and step: waits by their time, the others by how often. */
export const causeTable = (events: readonly RunEvent[]): { waits: Cause[]; others: Cause[] } => {
  const causes = new Map<string, Cause>();
  for (const event of events) {
    const key = JSON.stringify([event.kind, event.step, heading(event)]);
    const cause = causes.get(key) ?? { kind: event.kind, cause: heading(event), step: event.step, times: 0, ms: 0 };
    causes.set(key, {
      ...cause,
      times: cause.times + 1,
      ms: cause.ms + (event.ms ?? 0),
      ...(event.request_id && { requestId: event.request_id }),
    });
  }
  const all = [...causes.values()];
  return {
    waits: all.filter(({ kind }) => kind === 'wait').sort((a, b) => b.ms - a.ms),
    others: all.filter(({ kind }) => kind !== 'wait').sort((a, b) => b.times - a.times),
  };
};
