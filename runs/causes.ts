import type { RunEvent } from '../store/run-store.ts';
import { heading } from './waits.ts';

export type Cause = { kind: RunEvent['kind']; cause: string; step: string; times: number; requestId?: string };

/** Everything but waits and chunks, summed by kind, cause and step; most often first. */
export const otherCauses = (events: readonly RunEvent[]): Cause[] => {
  const causes = new Map<string, Cause>();
  for (const event of events) {
    if (event.kind === 'chunk' || event.kind === 'wait' || event.kind === 'calls' || event.kind === 'alert') continue;
    const key = JSON.stringify([event.kind, event.step, heading(event)]);
    const cause = causes.get(key) ?? { kind: event.kind, cause: heading(event), step: event.step, times: 0 };
    causes.set(key, { ...cause, times: cause.times + 1, ...(event.request_id && { requestId: event.request_id }) });
  }
  return [...causes.values()].sort((a, b) => b.times - a.times);
};
