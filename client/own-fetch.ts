import { createHash, randomUUID } from 'node:crypto';
import { readStart } from './answer-body.ts';
import { classify, floorMs } from './classify.ts';
import { NetworkError, RefusedRequest, Throttled } from './errors.ts';
import { exchange, SourceFailed, type Exchange } from './exchange.ts';
import { admit, type Permits } from './permits.ts';
import { onThisMachine } from '../text/this-machine.ts';
import { networkCode, neverSent } from './network-code.ts';
import { answerOf } from './response.ts';
import { timeLimit } from './time-limit.ts';

/** What `context.fetch` takes: the request as fetch takes it, and what only it has. */
export type OwnFetchInit = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'duplex'> & {
  /** Sends a secret by its name: as `Authorization: Bearer …`, or in a header of its own. The value appears in no log and no error. */
  auth?: string | { secret: string; header: string; prefix?: string };
  /** Longest time until the answer begins, in seconds; its body has the time of the step. @default 60 */
  timeoutSeconds?: number;
};

/** The same behind the door of the thread: a body is bytes, or a stream of them. */
export type SentInit = Omit<OwnFetchInit, 'body' | 'duplex'> & { body?: Uint8Array | AsyncIterable<Uint8Array> };

export type OwnFetch = (url: string | URL, init?: SentInit) => Promise<Response>;

/** Services of a user's own: one gate for all of them on this host, a limit for each. */
export type OwnServices = {
  permits: Permits;
  /** The limit that a URL counts to: the longest configured beginning of it, else its origin. */
  limitOf: (url: URL) => string;
  /** The value of a secret by its name in the configuration. */
  secret: (name: string) => Promise<string>;
  /** Sends the requests. @default exchange */
  by?: Exchange;
  /** Takes the whole stack of an error in the code of a step. @default stderr: the worker's log */
  stacks?: (text: string) => void;
};

/**
 * One attempt of one step or item. `scope`: equal requests in the same scope are attempts of one request. `never`: what it sends is not
 * sent again where nobody knows whether it arrived.
 */
export type OwnCaller = { scope: string; signal: AbortSignal; fence: () => Promise<void>; never?: boolean };

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What a request says that names nothing itself: some services refuse one without. */
const fromUs = { accept: '*/*', 'user-agent': 'portolan' };

/** What is read of a refusal, so that its connection is used again. */
const refusalBytes = 64 * 1024;

/**
 * `fetch` under permits: one attempt. A 2xx is the answer, whatever it carries, and its Retry-After holds the next request; any other
 * status with Retry-After, a 429 and a 503 are thrown as `Throttled`; the rest is the answer as it is. Throws `NetworkError` where
 * none came, and while its body is read where that breaks off. Messages name origin and path: queries may hold secrets.
 */
export const createOwnFetch =
  ({ permits, limitOf, secret, by = exchange }: OwnServices, { scope, signal, fence, never = false }: OwnCaller): OwnFetch =>
  async (given, { auth, timeoutSeconds = 60, body, ...init } = {}) => {
    const url = checkedUrl(given, auth !== undefined);
    const method = checkedMethod(init.method);
    const operation = `fetch ${method} ${url.origin}${url.pathname}`;
    const limitMs = timeLimit(timeoutSeconds * 1_000, operation, 'timeoutSeconds');
    const requestId = randomUUID();
    const limit = limitOf(url);
    const headers = new Headers(init.headers);
    if (auth !== undefined) {
      const { secret: name, header, prefix = '' } = typeof auth === 'string' ? bearer(auth) : auth;
      headers.set(header, `${prefix}${carried(await secret(name), name)}`);
    }
    // How the body is framed is said by whoever sends it; only a stream may have a length that its sender alone knows.
    headers.delete('transfer-encoding');
    if (body instanceof Uint8Array) headers.delete('content-length');
    const holder = createHash('sha256').update(`${scope}\n${method}\n${url.href}`).digest('hex').slice(0, 32);
    const stop = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const permit = await admit(permits, limit, {
      operation,
      requestId,
      holder,
      signal: stop,
      fence: reads.has(method) ? undefined : fence,
    });

    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limitMs);
    const lost = (code: string, sent: boolean): Error => {
      stop.throwIfAborted();
      return new NetworkError({ operation, requestId, code, sent, url: url.origin });
    };
    try {
      const request = {
        method,
        url: url.href,
        headers: { ...fromUs, ...Object.fromEntries(headers) },
        ...(body && { body }),
        alone: never && !reads.has(method),
      };
      const incoming = await by({ ...request, signal: AbortSignal.any([stop, late.signal]) }).catch((error: unknown) => {
        permit.confirm();
        const code = late.signal.aborted ? 'timeout' : error instanceof SourceFailed ? 'its body could not be read' : networkCode(error);
        throw lost(code, !neverSent(error, code));
      });
      const { status, headers: said } = incoming;
      const verdict = classify({ status, retryAfter: said['retry-after'] ?? null, date: said.date ?? null, now: Date.now() });
      // 202 with Retry-After: taken in, and to be looked at later. Sending it again would repeat it.
      const answered = (status >= 200 && status < 300) || verdict.kind !== 'wait';
      const ms = verdict.kind === 'wait' ? verdict.ms : verdict.kind === 'done' ? verdict.holdMs : undefined;
      if (ms !== undefined) permits.closed(limit, ms);
      permit.confirm();
      if (answered) return await answerOf(incoming, { method, url: url.href, lost });
      await readStart(incoming.body, refusalBytes).catch(() => undefined);
      const id = String(said['x-request-id'] ?? requestId);
      const asked = verdict.kind === 'wait' && verdict.asked;
      throw new Throttled({ operation, requestId: id, limit, waitMs: ms ?? floorMs, sent: true, status, asked });
    } finally {
      clearTimeout(timer);
    }
  };

/** A secret that a header can carry: the error of `Headers` itself quotes it. */
function carried(value: string, name: string): string {
  if (/[^\x20-\x7e\x80-\xff]/.test(value))
    throw new RefusedRequest(
      `context.fetch: the secret '${name}' holds a character that no header carries; copy it again from where it was made`,
    );
  return value;
}

const bearer = (secret: string) => ({ secret, header: 'authorization', prefix: 'Bearer ' });

function checkedMethod(given = 'GET'): string {
  const method = given.toUpperCase();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(method) || method === 'CONNECT' || method === 'TRACE')
    throw new RefusedRequest(`context.fetch: '${given}' is no method that is sent`);
  return method;
}

function checkedUrl(given: string | URL, withSecret: boolean): URL {
  if (!URL.canParse(String(given))) throw new RefusedRequest('context.fetch: the address is no URL; write it whole: https://host/path');
  const url = new URL(given);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new RefusedRequest(`context.fetch: ${url.protocol} is not fetched; http and https are`);
  if (url.username !== '' || url.password !== '')
    throw new RefusedRequest(
      `context.fetch: the address of ${url.host} holds a user or password; name the secret instead: { auth: 'NAME' }`,
    );
  if (withSecret && url.protocol === 'http:' && !onThisMachine.test(url.hostname))
    throw new RefusedRequest(`context.fetch: over plain http everyone on the way to ${url.host} reads the secret; use https`);
  return url;
}
