import { randomUUID } from 'node:crypto';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpBindings } from '@hono/node-server';
import type { Endpoint } from '../../contracts/endpoint.ts';
import type { OperationName } from '../../contracts/index.ts';
import { now } from '../clock.ts';
import { HttpError } from '../errors.ts';
import type { Disturbance, Faults } from '../faults.ts';
import type { Limits } from '../limits.ts';
import type { RequestLog } from '../request-log.ts';
import { errorAnswer, toAnswer } from './answer.ts';
import type { CallContext } from './handlers.ts';
import { checkInput, readFields } from './input.ts';

export type ExchangeParts = {
  limits: Limits;
  faults: Faults;
  log: RequestLog;
  userOfKey: (key: string) => string | undefined;
  /** Answers are held against the contract; one that does not fit is a 500. */
  checkAnswers: boolean;
};

export type Call = {
  operation: OperationName;
  endpoint: Endpoint;
  handler: (input: never, context: CallContext) => unknown;
  request: Request;
  params: Record<string, string>;
  /** Query fields that come repeatedly, as lists under their name in the contract. */
  repeated?: Record<string, string> | undefined;
  /** Fields of this address where the request has none. */
  defaults?: Record<string, string> | undefined;
  /** Absent in process. */
  bindings?: HttpBindings | undefined;
};

/** The connection is cut and no answer is ever sent. */
const cut = Symbol('cut');

/** Thrown to whoever called in process, where there is no connection to cut. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut';
}

const headerOf = (request: Request, name: string): string | null => {
  const value = request.headers.get(name);
  return value !== null && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null;
};

const statusFault = (order: Extract<Disturbance, { status: number }>): HttpError => {
  const { status, retryAfter, detail = 'refused by an ordered fault' } = order;
  if (retryAfter === undefined) return new HttpError(status, detail);
  // A date has whole seconds only: two ahead of the next whole one.
  const told = retryAfter === 'date' ? new Date(Math.ceil(now() / 1_000) * 1_000 + 2_000).toUTCString() : String(retryAfter);
  return new HttpError(status, detail, { 'retry-after': told });
};

const waitUntil = (retryAfter: string | null, at: number): number | null =>
  retryAfter === null ? null : /^\d+$/.test(retryAfter) ? at + Number(retryAfter) * 1_000 : Date.parse(retryAfter);

const addressOf = (bindings: HttpBindings | undefined): string => bindings?.incoming.socket.remoteAddress ?? 'in process';

/** One request from arrival to answer: key, limit, input, ordered faults, handler, log. */
export const createExchange = ({ limits, faults, log, userOfKey, checkAnswers }: ExchangeParts) => {
  const authenticate = ({ endpoint, request }: Call): string => {
    if (endpoint.auth === false) return '';
    const key = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    if (!key) throw new HttpError(401, 'no key: send the header Authorization: Bearer <API key>');
    const user = userOfKey(key);
    if (user === undefined) throw new HttpError(401, 'unknown key: it was revoked, or belongs to another service');
    return user;
  };

  const perform = async (
    call: Call,
    requestId: string,
    seen: { userId: string | null; fault: string | null },
  ): Promise<Response | typeof cut> => {
    const { operation, endpoint, request, params, repeated = {}, defaults } = call;
    const userId = authenticate(call);
    seen.userId = userId;
    const wait = limits.take(endpoint.limit, { user: userId, key: userId, address: addressOf(call.bindings) });
    if (wait !== null)
      throw new HttpError(429, `too many requests of class ${endpoint.limit}; the next is accepted after ${wait} s`, {
        'retry-after': String(wait),
      });

    const query = new URL(request.url).searchParams;
    const lists = Object.fromEntries(Object.entries(repeated).flatMap(([from, to]) => (query.has(from) ? [[to, query.getAll(from)]] : [])));
    const { ...fields } = await readFields(endpoint, request, params);
    for (const from of Object.keys(repeated)) delete fields[from];
    const input = checkInput(endpoint, { ...defaults, ...fields, ...lists });

    const fault = faults.next(operation);
    const order = fault?.do;
    seen.fault = order ? JSON.stringify(order) : null;
    if (order && 'status' in order) throw statusFault(order);
    if (order && 'reset' in order) return cut;
    if (order && 'hold' in order && order.hold === 'before') await faults.hold(fault);
    const value = await call.handler(input as never, { requestId, userId });
    if (order && 'hold' in order && order.hold === 'after') await faults.hold(fault);
    if (order && 'lose' in order) return cut;
    if (checkAnswers) endpoint.output.parse(value);
    return toAnswer(value, endpoint.status);
  };

  return async (call: Call): Promise<Response> => {
    const { operation, endpoint, request, bindings } = call;
    const at = now();
    const monotonic = performance.now();
    const requestId = headerOf(request, 'x-request-id') ?? randomUUID();
    const sentAt = Number(request.headers.get('x-sent-at') ?? Number.NaN);
    const arrival = {
      at,
      sentAt: Number.isFinite(sentAt) ? sentAt : null,
      process: headerOf(request, 'x-client-process'),
      callId: headerOf(request, 'x-call-id'),
      limitClass: endpoint.limit,
    };
    const early = log.judge(arrival);
    const seen: { userId: string | null; fault: string | null } = { userId: null, fault: null };

    const answer = await perform(call, requestId, seen).catch((error: unknown) => {
      if (!(error instanceof HttpError))
        process.stderr.write(`${operation} ${requestId}: ${error instanceof Error ? error.stack : String(error)}\n`);
      return errorAnswer(error);
    });
    const retryAfter = answer === cut ? null : answer.headers.get('retry-after');
    const answeredAt = now();
    const until = waitUntil(retryAfter, answeredAt);
    log.write(
      {
        at,
        monotonic,
        request_id: requestId,
        call_id: arrival.callId,
        process: arrival.process,
        operation,
        limit_class: endpoint.limit,
        user: seen.userId || null,
        status: answer === cut ? 0 : answer.status,
        retry_after: until === null ? null : Math.max(0, (until - answeredAt) / 1_000),
        ms: answeredAt - at,
        fault: seen.fault,
        early: Number(early.call || early.process),
        early_same_call: Number(early.call),
        early_same_process: Number(early.process),
      },
      until,
    );
    if (answer !== cut) {
      answer.headers.set('x-request-id', requestId);
      return answer;
    }
    if (!bindings) throw new ConnectionCut('the connection was cut by an ordered fault');
    bindings.incoming.socket.destroy();
    return RESPONSE_ALREADY_SENT;
  };
};
