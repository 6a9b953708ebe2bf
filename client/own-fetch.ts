import { createHash, randomUUID } from 'node:crypto';
import { classify, floorMs } from './classify.ts';
import { NetworkError, RefusedRequest, Throttled } from './errors.ts';
import { admit, type Permits } from './permits.ts';
import { onThisMachine } from './refusals-read.ts';
import { networkCode, unsent } from './network-code.ts';

/** What `context.fetch` takes: the request as fetch takes it, and what only it has. */
export type OwnFetchInit = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'duplex'> & {
  /** Sends a secret by its name: as `Authorization: Bearer …`, or in a header of its own. The value appears in no log and no error. */
  auth?: string | { secret: string; header: string; prefix?: string };
  /** Longest time until the answer begins, in seconds. @default 60 */
  timeoutSeconds?: number;
};

export type OwnFetch = (url: string | URL, init?: OwnFetchInit) => Promise<Response>;

/** Services of a user's own: one gate for all of them on this host, a limit for each. */
export type OwnServices = {
  permits: Permits;
  /** The limit that a URL counts to: the longest configured beginning of it, else its origin. */
  limitOf: (url: URL) => string;
  /** The value of a secret by its name in the configuration. */
  secret: (name: string) => Promise<string>;
};

/** One attempt of one step or item. `scope`: equal requests in the same scope are attempts of one request. */
export type OwnCaller = { scope: string; signal: AbortSignal; fence: () => Promise<void> };

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * `fetch` under permits: one attempt. A 2xx is the answer, whatever it carries, and its Retry-After holds the next request; any other
 * status with Retry-After, a 429 and a 503 are thrown as `Throttled`; the rest is the answer as it is. Throws `NetworkError` where
 * none came. Messages name origin and path: queries may hold secrets.
 */
export const createOwnFetch =
  ({ permits, limitOf, secret }: OwnServices, { scope, signal, fence }: OwnCaller): OwnFetch =>
  async (given, { auth, timeoutSeconds = 60, ...init } = {}) => {
    const url = checkedUrl(given, auth !== undefined);
    const method = (init.method ?? 'GET').toUpperCase();
    const operation = `fetch ${method} ${url.origin}${url.pathname}`;
    const requestId = randomUUID();
    const limit = limitOf(url);
    const headers = new Headers(init.headers);
    if (auth !== undefined) {
      const { secret: name, header, prefix = '' } = typeof auth === 'string' ? bearer(auth) : auth;
      headers.set(header, `${prefix}${await secret(name)}`);
    }
    const holder = createHash('sha256').update(`${scope}\n${method}\n${url.href}`).digest('hex').slice(0, 32);
    const stop = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const permit = await admit(permits, limit, {
      operation,
      requestId,
      holder,
      signal: stop,
      fence: reads.has(method) ? undefined : fence,
    });

    const timeout = AbortSignal.timeout(timeoutSeconds * 1_000);
    let reply: Response;
    try {
      reply = await fetch(url, { ...init, method, headers, redirect: 'manual', signal: AbortSignal.any([stop, timeout]) });
    } catch (error) {
      permit.confirm();
      stop.throwIfAborted();
      const code = timeout.aborted ? 'timeout' : networkCode(error);
      throw new NetworkError({ operation, requestId, code, sent: !unsent.has(code), url: url.origin });
    }
    const verdict = classify({
      status: reply.status,
      retryAfter: reply.headers.get('retry-after'),
      date: reply.headers.get('date'),
      now: Date.now(),
    });
    // 202 with Retry-After: taken in, and to be looked at later. Sending it again would repeat it.
    const answered = reply.ok || verdict.kind !== 'wait';
    const ms = verdict.kind === 'wait' ? verdict.ms : verdict.kind === 'done' ? verdict.holdMs : undefined;
    if (ms !== undefined) permits.closed(limit, ms);
    permit.confirm();
    if (answered) return reply;
    await reply.arrayBuffer().catch(() => undefined);
    const id = reply.headers.get('x-request-id') ?? requestId;
    const asked = verdict.kind === 'wait' && verdict.asked;
    throw new Throttled({ operation, requestId: id, limit, waitMs: ms ?? floorMs, sent: true, status: reply.status, asked });
  };

const bearer = (secret: string) => ({ secret, header: 'authorization', prefix: 'Bearer ' });

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
