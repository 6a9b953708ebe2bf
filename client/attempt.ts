import { classify } from './classify.ts';
import { exchange, SourceFailed, type Exchange, type Incoming, type Outgoing } from './exchange.ts';
import { failing, readStart } from './answer-body.ts';
import { NetworkError, Throttled } from './errors.ts';
import { networkCode, neverSent } from './network-code.ts';
import { admit, type Permits } from './permits.ts';
import { parseHttpDate } from './retry-after.ts';
import { heed, traceHeaders } from './refusals-read.ts';
import { timeLimit } from './time-limit.ts';

/** One request under its permit. */
export type Attempt = {
  operation: string;
  requestId: string;
  limit: string;
  permits: Permits;
  /** The same for every sending of the same call; default: every request is a call of its own. */
  callId?: string | undefined;
  request: Outgoing;
  /** Ends it from outside; its reason is thrown as it is. */
  signal?: AbortSignal | undefined;
  /** From leaving to the end of the answer; absent: as long as it takes. */
  timeoutMs?: number;
  /** Passed right before it leaves; throws where it must not be sent any more. */
  fence?: (() => Promise<void>) | undefined;
  /** Sends the request. @default exchange */
  by?: Exchange | undefined;
  /** Called when it leaves. */
  onSent?: (() => void) | undefined;
  /** Whether the body of a status says a failure that the contract knows by its code; undefined where it knows none of the status. */
  declared?: ((status: number) => ((body: string) => boolean) | undefined) | undefined;
};

/** What came of it: an answer whose body is still to be read, or a failure. */
export type Attempted = {
  /** The service's id of the request, where it gave one. */
  requestId: string;
  /** When it answered, epoch milliseconds by its own clock, where it said so. */
  at?: number;
} & ({ answer: Incoming } | { refused: Refused });

/** A failure: the beginning of its body, and where it sends whoever asks. */
export type Refused = { status: number; body: string; retryable: boolean; location?: string };

/** What is kept of the body of a failure. */
const refusalBytes = 64 * 1024;

/** Sends once, when the class allows it. Throws `Throttled` where it does not or the answer is a wait, and `NetworkError` where no answer came. */
export async function attempt({
  operation,
  requestId,
  limit,
  permits,
  callId,
  request,
  signal,
  timeoutMs,
  fence,
  by = exchange,
  onSent,
  declared,
}: Attempt): Promise<Attempted> {
  const { url } = request;
  const limitMs = timeoutMs === undefined ? undefined : timeLimit(timeoutMs, operation, 'timeoutMs');
  const permit = await admit(permits, limit, { operation, requestId, holder: callId, signal, fence });
  const timeout = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
  const lost = (error: unknown): Error => {
    signal?.throwIfAborted();
    const code = timeout?.aborted ? 'timeout' : networkCode(error);
    return new NetworkError({ operation, requestId, code, sent: !neverSent(error, code), url: new URL(url).origin });
  };
  onSent?.();
  const incoming = await by({
    ...request,
    headers: { ...request.headers, 'x-request-id': requestId, ...traceHeaders(url, limit, callId ?? requestId) },
    signal: signal && timeout ? AbortSignal.any([signal, timeout]) : (signal ?? timeout),
  }).catch((error: unknown) => {
    permit.confirm();
    throw error instanceof SourceFailed ? error.cause : lost(error);
  });
  const { status, headers, body } = incoming;
  const at = parseHttpDate(headers.date?.trim() ?? '', Date.now());
  const answered = { requestId: String(headers['x-request-id'] ?? requestId), ...(at === undefined ? {} : { at }) };
  const verdict = classify({ status, retryAfter: headers['retry-after'] ?? null, date: headers.date ?? null, now: Date.now() });
  const isDeclared = verdict.kind === 'wait' ? declared?.(status) : undefined;
  const early = isDeclared && (await readStart(body, refusalBytes).catch(() => ''));
  // A budget that is spent is no limit that opens again.
  if (early !== undefined && isDeclared!(early)) {
    permit.confirm();
    return { ...answered, refused: { status, body: early, retryable: false } };
  }
  // At once: the body may take its time.
  heed(permits, verdict, { url, limit, requestId: answered.requestId });
  permit.confirm();
  if (verdict.kind === 'done') return { ...answered, answer: { ...incoming, body: failing(body, lost) } };
  // Read even where it changes nothing, so that the connection is used again.
  const said =
    early ??
    (await readStart(body, refusalBytes).catch((error: unknown) => {
      if (verdict.kind === 'fail') throw lost(error);
      return '';
    }));
  if (verdict.kind === 'wait')
    throw new Throttled({ operation, requestId, limit, waitMs: verdict.ms, sent: true, status, asked: verdict.asked });
  return {
    ...answered,
    refused: {
      status,
      body: said,
      retryable: verdict.retryable,
      ...(headers.location === undefined ? {} : { location: headers.location }),
    },
  };
}
