import { parseRetryAfter } from './retry-after.ts';

/** What one answer means. */
export type Classified =
  /** The answer is the answer. `holdMs`: it also asked to stay away so long before the next call of its class. */
  | { kind: 'done'; holdMs?: number }
  /** Not an answer and not a failure: send again, not before `ms`. `asked`: the service named the time. */
  | { kind: 'wait'; ms: number; asked: boolean }
  /** Failed; `retryable` says whether the same call may succeed later. */
  | { kind: 'fail'; retryable: boolean };

/** Shortest wait: Retry-After 0, a past date or junk never become an instant repeat. */
export const floorMs = 1_000;

/**
 * Failures that may pass. A status that this does not know counts as the first of its hundred (RFC 9110 §15), as 520 to 530 of what
 * stands before a service; with 501 and 505 a service says that it never will.
 */
const mayPass = (status: number): boolean => (status >= 500 ? status !== 501 && status !== 505 : status === 408 || status === 425);

/**
 * The one decision about an answer. Retry-After counts on any status (the instance API text gives none):
 * a 202, a redirect, a 4xx or a 5xx that carries it is a wait. Other 2xx are answers: their effect has happened, and
 * sending them again would repeat it; there the header closes the class for the calls after it.
 * 429 and 503 are waits with or without it.
 */
export function classify(reply: { status: number; retryAfter?: string | null; date?: string | null; now: number }): Classified {
  const { status } = reply;
  const asked = parseRetryAfter(reply.retryAfter, reply);
  const ms = Math.max(floorMs, asked ?? 0);
  const answered = status >= 200 && status < 300 && status !== 202;
  if (answered) return asked === undefined ? { kind: 'done' } : { kind: 'done', holdMs: ms };
  if (asked !== undefined) return { kind: 'wait', ms, asked: true };
  if (status === 202) return { kind: 'done' };
  if (status === 429 || status === 503) return { kind: 'wait', ms, asked: false };
  return { kind: 'fail', retryable: mayPass(status) };
}
