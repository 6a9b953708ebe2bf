import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { serviceOf, services } from '../../contracts/index.ts';
import type { LimitClass } from '../../contracts/limits.ts';
import { now, type Clock } from '../core/clock.ts';
import { uptime } from '../../text/uptime.ts';
import { HttpError } from '../core/errors.ts';
import type { WindowState } from '../core/rate-limits.ts';
import type { RequestLog } from '../core/request-log.ts';
import { served } from '../apis/served.ts';
import { errorAnswer } from './answer.ts';
import { cut } from './disturb.ts';
import type { Outcome } from './disturb.ts';
import type { ServedOperation } from './handlers.ts';

/** Thrown to whoever called in process, where there is no connection to cut. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut';
}

/**
 * What the adapter takes for an answer that it has not to send, by this header. Its own constant is exported by a pattern, which Node
 * cannot resolve where the folder of the project has a `*` in its name.
 */
const alreadySent = (): Response => new Response(null, { headers: { 'x-hono-already-sent': 'true' } });

/** One request as it came in. */
export type Arrived = {
  operation: ServedOperation;
  limit: LimitClass;
  request: Request;
  /** What the log holds of the address, where that of the request is a secret. */
  path?: string | undefined;
  /** Headers of every answer at its address. */
  headers?: Readonly<Record<string, string>>;
  /** Absent in process. */
  bindings?: HttpBindings | undefined;
};

/** What is learnt of a request while it is carried out, for its row in the log. */
export type Seen = {
  requestId: string;
  userId: string | null;
  fault: string | null;
  bytes: number;
  /** How its subject stands in the limit, where one holds. */
  window: WindowState | undefined;
};

const headerOf = (request: Request, name: string): string | null => {
  const value = request.headers.get(name);
  return value !== null && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null;
};

/** Beginnings of request ids, `-` for none. */
const refusalsRead = (request: Request): string[] | null => {
  const named = request.headers.get('x-refusals-read');
  return named !== null && /^(?:-|[\w-]{8}(?:,[\w-]{8})*)$/.test(named) ? named.split(',').filter((id) => id !== '-') : null;
};

/** Milliseconds that a Retry-After asks for. */
const waitOf = (retryAfter: string | null): number | null =>
  retryAfter === null ? null : /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Math.max(0, Date.parse(retryAfter) - Date.now());

const isGone = (bindings: HttpBindings | undefined): boolean =>
  bindings !== undefined && bindings.incoming.destroyed && !bindings.incoming.complete;

/** By which a client sees how many requests it has left (public docs of the instance API); the reset is in Unix seconds. */
const limitHeaders = ({ count, left, resetInMs }: WindowState): [string, string][] => [
  ['x-ratelimit-limit', String(count)],
  ['x-ratelimit-remaining', String(left)],
  ['x-ratelimit-reset', String(Math.ceil((Date.now() + resetInMs) / 1_000))],
];

/** Any failure as an answer; what is no refusal is reported on stderr and not to the client. */
export const refusal = (operation: ServedOperation, requestId: string, error: unknown): Response => {
  if (!(error instanceof HttpError))
    process.stderr.write(`${operation} ${requestId}: ${error instanceof Error ? error.stack : String(error)}\n`);
  return errorAnswer(error, services[serviceOf(operation)].errors, operation);
};

/** Promises a whole body, sends half of it and closes. */
const sendHalf = async ({ outgoing }: HttpBindings, answer: Response): Promise<void> => {
  const body = new Uint8Array(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': Math.max(1, body.byteLength) });
  outgoing.flushHeaders();
  // At once destroyed, the socket would take the half with it that is still to be written.
  const { promise, resolve } = Promise.withResolvers<void>();
  outgoing.write(body.subarray(0, body.byteLength >> 1), () => resolve());
  await promise;
  outgoing.socket?.destroySoon();
};

/** Takes a request from its arrival to its answer and writes its row in the log. */
export const createRecorder =
  (log: RequestLog, clock: Clock) =>
  async (
    { operation, limit, request, path, headers = {}, bindings }: Arrived,
    perform: (seen: Seen) => Promise<Outcome>,
  ): Promise<Response> => {
    const at = now();
    const monotonic = uptime();
    const arrival = {
      at: monotonic,
      refusalsRead: refusalsRead(request),
      process: headerOf(request, 'x-client-process'),
      callId: headerOf(request, 'x-call-id'),
      limitClass: limit,
    };
    const early = log.judge(arrival);
    const seen: Seen = {
      requestId: headerOf(request, 'x-request-id') ?? randomUUID(),
      userId: null,
      fault: null,
      bytes: 0,
      window: undefined,
    };

    const outcome = await perform(seen).catch((error: unknown) => (isGone(bindings) ? cut : refusal(operation, seen.requestId, error)));
    const answer = outcome === cut ? undefined : outcome instanceof Response ? outcome : outcome.half;
    const waitMs = waitOf(answer?.headers.get('retry-after') ?? null);
    const ms = uptime() - monotonic;
    log.write(
      {
        at,
        monotonic,
        request_id: seen.requestId,
        call_id: arrival.callId,
        process: arrival.process,
        operation,
        path: path ?? new URL(request.url).pathname,
        limit_class: limit,
        user: seen.userId || null,
        // Half an answer is none.
        status: outcome instanceof Response ? outcome.status : 0,
        bytes: seen.bytes,
        retry_after: waitMs === null ? null : waitMs / 1_000,
        ms,
        fault: seen.fault,
        early: Number(early.call || early.process),
        early_same_call: Number(early.call),
        early_same_process: Number(early.process),
      },
      waitMs === null ? null : monotonic + ms + waitMs,
    );
    answer?.headers.set('x-request-id', seen.requestId);
    // By which a client tells what can have fallen due here meanwhile; a wait is measured by the wall clock, and so is the time beside it.
    if (waitMs === null) answer?.headers.set('date', new Date(clock.now()).toUTCString());
    for (const [name, value] of Object.entries(headers)) answer?.headers.set(name, value);
    if (answer && seen.window && served[serviceOf(operation)].limitHeaders)
      for (const [name, value] of limitHeaders(seen.window)) answer.headers.set(name, value);
    if (outcome instanceof Response) return outcome;
    if (!bindings) throw new ConnectionCut('the connection was cut by an ordered fault');
    if (answer) await sendHalf(bindings, answer);
    else bindings.incoming.socket.destroy();
    return alreadySent();
  };
