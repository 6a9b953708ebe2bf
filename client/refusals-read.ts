import { randomUUID } from 'node:crypto';
import { onThisMachine } from '../text/this-machine.ts';
import type { Classified } from './classify.ts';
import type { Permits } from './permits.ts';

/** Names this process to the record of a service on this machine. */
export const clientProcess = randomUUID();

/** Refusals of a class that are named: beyond this the oldest are over. */
const most = 32;

const read = new Map<string, string[]>();

const keyOf = (url: string, limit: string): string => `${new URL(url).origin} ${limit}`;

/** Closes the class for as long as an answer asks for, refused or not, and notes that this process has read it. */
export function heed(
  permits: Permits,
  verdict: Classified,
  { url, limit, requestId }: { url: string; limit: string; requestId: string },
): void {
  const ms = verdict.kind === 'wait' ? verdict.ms : verdict.kind === 'done' ? verdict.holdMs : undefined;
  if (ms === undefined) return;
  permits.closed(limit, ms);
  const key = keyOf(url, limit);
  read.set(key, [...(read.get(key) ?? []), requestId.slice(0, 8)].slice(-most));
}

/**
 * Headers by which a service on this machine sees whether a request was sent too early, without trusting a clock of ours:
 * the process, the call, and the refusals that had been read when it was sent. A hosted service is sent none.
 */
export const traceHeaders = (url: string, limit: string, callId: string): Record<string, string> =>
  onThisMachine.test(new URL(url).hostname)
    ? { 'x-client-process': clientProcess, 'x-call-id': callId, 'x-refusals-read': read.get(keyOf(url, limit))?.join(',') ?? '-' }
    : {};
