import type { HttpBindings } from '@hono/node-server';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { serviceOf, type OperationName, type Service } from '../../contracts/index.ts';
import type { LimitClass } from '../../contracts/limits.ts';
import type { Clock } from '../core/clock.ts';
import { challenge, HttpError, isStackOverflow, noKey, tooDeep } from '../core/errors.ts';
import type { Fault, Faults } from '../core/faults.ts';
import type { Limits, Subjects } from '../core/rate-limits.ts';
import type { Caller } from '../core/records/keys.ts';
import type { RequestLog } from '../core/request-log.ts';
import type { Address } from './addresses.ts';
import { plainAnswer, toAnswer } from './answer.ts';
import { cutInHalf, received } from './body-source.ts';
import { deprecationHeaders } from './deprecation.ts';
import { checkDeclared } from './check-declared.ts';
import { cut, disturbed } from './disturb.ts';
import type { Outcome } from './disturb.ts';
import type { CallContext, ServedOperation } from './handlers.ts';
import { checkInput, readFields } from './input.ts';
import type { Fields } from './input.ts';
import type { Intake } from './intake.ts';
import { createRecorder, refusal } from './recorded.ts';
import type { Spool } from './spool.ts';
import type { Seen } from './recorded.ts';

export type ExchangeParts = {
  limits: Limits;
  faults: Faults;
  intake: Intake;
  spool: Spool;
  clock: Clock;
  log: RequestLog;
  callerOf: (service: Service, key: string) => Caller | undefined;
  /** Refuses what a key may not send. */
  authorize: (operation: OperationName, caller: Caller, endpoint: Endpoint) => void;
  /** Refuses what a key may not reach. */
  checkReach: (operation: OperationName, caller: Caller, endpoint: Endpoint, input: Readonly<Record<string, unknown>>) => void;
  /** Whether operations of contracts with `auth: 'public'` are open to callers without a key. */
  openReads: () => boolean;
  /** What an API refuses with where there are too many requests. */
  throttleStatus: (service: Service) => number;
  /** Answers, and refusals that say that the service cannot, are held against the contract; what does not fit is a 500. */
  checkAnswers: boolean;
};

/** One request for an operation of the contracts. */
export type Call = {
  address: Address;
  endpoint: Endpoint;
  handler: (input: never, context: CallContext) => unknown;
  request: Request;
  params: Record<string, string>;
  /** Absent in process. */
  bindings?: HttpBindings | undefined;
};

/** What the handler of a streamed request knows of it. */
export type StreamContext = {
  requestId: string;
  /** Epoch milliseconds by which lifetimes are judged; `Infinity` where a fault has the signed URL expired. */
  at: number;
};

/** One request without a key whose body the handler reads as it comes: the PUT of a part. */
export type StreamCall = {
  operation: ServedOperation;
  limit: LimitClass;
  request: Request;
  /** Absent in process. */
  bindings?: HttpBindings | undefined;
  /** Refuses by throwing an `HttpError`. Its chunks come at the rate of the intake; pulling none stops the sender. */
  handler: (body: AsyncIterable<Uint8Array>, context: StreamContext) => Promise<Response>;
};

const addressOf = (bindings: HttpBindings | undefined): string => bindings?.incoming.socket.remoteAddress ?? 'in process';

/** Requests from arrival to answer: key, limit, input, ordered faults, handler, log. */
export const createExchange = ({
  limits,
  faults,
  intake,
  spool,
  clock,
  log,
  callerOf,
  authorize,
  checkReach,
  openReads,
  throttleStatus,
  checkAnswers,
}: ExchangeParts) => {
  const record = createRecorder(log, clock);

  const authenticate = ({ address: { operation }, endpoint, request }: Call): Caller | undefined => {
    if (endpoint.auth === false) return undefined;
    const sent = request.headers.get('authorization');
    if (sent === null && endpoint.auth === 'public' && openReads()) return undefined;
    const key = /^Bearer (.+)$/i.exec(sent ?? '')?.[1];
    if (!key) throw noKey();
    const caller = callerOf(serviceOf(operation), key);
    if (!caller) throw new HttpError(401, 'unknown key: it was revoked, or belongs to another service', challenge);
    authorize(operation, caller, endpoint);
    return caller;
  };
  const admit = (operation: ServedOperation, limit: LimitClass, subjects: Subjects, seen: Seen): void => {
    const { wait, window } = limits.take(limit, subjects);
    seen.window = window;
    if (wait !== null)
      throw new HttpError(
        throttleStatus(serviceOf(operation)),
        `too many requests of class ${limit}; the next is accepted after ${wait} s`,
        {
          'retry-after': String(wait),
        },
      );
  };
  const faultOf = (operation: ServedOperation, seen: Seen): Fault | undefined => {
    const fault = faults.next(operation);
    seen.fault = fault ? JSON.stringify(fault.do) : null;
    return fault;
  };
  /** A body at the rate of the intake, counted. */
  const shaped = async function* (source: AsyncIterable<Uint8Array>, seen: Seen): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of intake.shape(source)) {
      seen.bytes += chunk.byteLength;
      yield chunk;
    }
  };

  const perform = async (call: Call, seen: Seen): Promise<Outcome> => {
    const { address, endpoint, request, params } = call;
    const caller = authenticate(call);
    const { userId = '', keyId = '' } = caller ?? {};
    seen.userId = userId;
    admit(address.operation, endpoint.limit, { user: userId, key: keyId, address: addressOf(call.bindings) }, seen);
    const body = shaped(received(call), seen);
    const fields = await readFields({ address, endpoint, request, params, body, spool });
    try {
      return await carryOut(call, caller, seen, fields);
    } finally {
      await fields.discard();
    }
  };

  const carryOut = async (
    { address: { operation }, endpoint, handler, request }: Call,
    caller: Caller | undefined,
    seen: Seen,
    fields: Fields,
  ): Promise<Outcome> => {
    const { userId = '', organizationId = '', role: keyRole = null, target, scopes = [], session } = caller ?? {};
    const input = checkInput(endpoint, fields);
    if (caller) checkReach(operation, caller, endpoint, input as Readonly<Record<string, unknown>>);
    const headers = new Headers();
    const { origin } = new URL(request.url);
    const context: CallContext = {
      requestId: seen.requestId,
      userId,
      organizationId,
      keyRole,
      ...(target ? { keyTarget: target } : {}),
      scopes,
      session,
      origin,
      headers,
    };

    return disturbed(faults, faultOf(operation, seen), async () => {
      try {
        const value = await handler(input as never, context);
        if (checkAnswers) endpoint.output.parse(plainAnswer(value));
        const answer = toAnswer(endpoint.envelope ? { [endpoint.envelope]: plainAnswer(value) } : value, endpoint.status);
        for (const [name, text] of headers) answer.headers.set(name, text);
        return answer;
      } catch (caught) {
        // A handler that writes a value down, or reads one with a schema of its own, goes as deep as it nests.
        const error = isStackOverflow(caught) ? tooDeep() : caught;
        if (checkAnswers) checkDeclared(operation, endpoint, error);
        return refusal(operation, seen.requestId, error);
      }
    });
  };

  const performStream = async (call: StreamCall, seen: Seen): Promise<Outcome> => {
    admit(call.operation, call.limit, { user: '', key: '', address: addressOf(call.bindings) }, seen);
    const fault = faultOf(call.operation, seen);
    const order = fault?.do;
    const context = { requestId: seen.requestId, at: order && 'expired' in order ? Infinity : clock.now() };
    const source = received(call);
    if (order && 'reset' in order && order.reset === 'body') {
      const half = shaped(cutInHalf(source, call.request.headers.get('content-length')), seen);
      // The handler sees a body that ends in an error, as when a sender dies; whatever it returns, nobody reads it.
      await call.handler(half, context).catch(() => undefined);
      return cut;
    }
    const body = shaped(source, seen);
    // Only the second delivery of two needs the body once more.
    const twice = order && 'duplicate' in order ? [await readAll(body)] : undefined;
    return disturbed(faults, fault, async () => {
      try {
        return await call.handler(twice ? asyncOf(twice.map((chunk) => new Uint8Array(chunk))) : body, context);
      } catch (error) {
        if (call.bindings?.incoming.destroyed && !call.bindings.incoming.complete) throw error;
        return refusal(call.operation, seen.requestId, error);
      }
    });
  };

  return {
    call: (call: Call): Promise<Response> =>
      record(
        {
          ...call,
          operation: call.address.operation,
          limit: call.endpoint.limit,
          path: call.endpoint.concealed ? call.address.path : undefined,
          headers: deprecationHeaders(call.address, call.params),
        },
        (seen) => perform(call, seen),
      ),
    stream: (call: StreamCall): Promise<Response> => record(call, (seen) => performStream(call, seen)),
  };
};

export type Exchange = ReturnType<typeof createExchange>;

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* asyncOf<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* items;
}
