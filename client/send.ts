import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Endpoint } from '../contracts/endpoint.ts';
import type { CallOptions } from './client.ts';
import { classify } from './classify.ts';
import { jsonItems } from './json-items.ts';
import { ApiError, ContractError, NetworkError, Throttled } from './errors.ts';
import { admit, type Permits } from './permits.ts';
import { heed, traceHeaders } from './refusals-read.ts';
import { toRequest } from './request.ts';

export type Transport = {
  baseUrl: string;
  token: string | (() => Promise<string>);
  permits: Permits;
  fetch?: typeof fetch;
  /** One attempt, answer included. Default 60 s. */
  timeoutMs?: number;
  /** Scope of call ids: equal calls in the same scope are attempts of one call. Default: every call is its own. */
  callScope?: string;
  /** Awaited right before a call with an effect leaves; throws where it must not be sent any more. */
  fence?: () => Promise<void>;
};

/** Names this process to the service's own record; the hosted service ignores it. */
export const clientProcess = randomUUID();

/** Sends one call once: no retry here. Throws `ApiError`, `Throttled`, `NetworkError` or `ContractError`. */
export async function send<E extends Endpoint>(
  operation: string,
  endpoint: E,
  input: unknown,
  transport: Transport,
  options: CallOptions = {},
): Promise<z.output<E['output']>> {
  const requestId = randomUUID();
  const parsed = endpoint.input.safeParse(input);
  if (!parsed.success) throw new ContractError(operation, 'request', issues(parsed.error));
  const request = toRequest(endpoint, parsed.data as Record<string, unknown>, transport.baseUrl);
  const token = endpoint.auth === false ? undefined : typeof transport.token === 'string' ? transport.token : await transport.token();

  const holder = callId(transport.callScope, operation, request);
  const fence = endpoint.effect === 'safe' ? undefined : transport.fence;
  const permit = await admit(transport.permits, endpoint.limit, { operation, requestId, holder, signal: options.signal, fence });

  const timeout = AbortSignal.timeout(options.timeoutMs ?? transport.timeoutMs ?? 60_000);
  let reply: Response;
  let bytes = new Uint8Array();
  let streamed: unknown;
  const lost = (error: unknown): NetworkError => {
    options.signal?.throwIfAborted();
    const code = timeout.aborted ? 'timeout' : networkCode(error);
    return new NetworkError({ operation, requestId, code, sent: !unsent.has(code), url: new URL(request.url).origin });
  };
  try {
    reply = await (transport.fetch ?? fetch)(request.url, {
      method: request.method,
      redirect: 'manual',
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
      headers: {
        accept: endpoint.answer === 'bytes' ? 'application/octet-stream' : 'application/json',
        'x-request-id': requestId,
        ...traceHeaders(request.url, endpoint.limit, clientProcess, holder ?? requestId),
        ...(request.contentType ? { 'content-type': request.contentType } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(request.body === undefined ? {} : { body: request.body }),
    });
  } catch (error) {
    permit.confirm();
    throw lost(error);
  }
  const verdict = classify({
    status: reply.status,
    retryAfter: reply.headers.get('retry-after'),
    date: reply.headers.get('date'),
    now: Date.now(),
  });
  // At once: the body may take its time.
  heed(transport.permits, verdict, {
    url: request.url,
    limit: endpoint.limit,
    requestId: reply.headers.get('x-request-id') ?? requestId,
  });
  permit.confirm();
  if (verdict.kind === 'wait') {
    // Read, so that the connection is used again; what it says changes nothing.
    await reply.arrayBuffer().catch(() => undefined);
    throw new Throttled({
      operation,
      requestId,
      limit: endpoint.limit,
      waitMs: verdict.ms,
      sent: true,
      status: reply.status,
      asked: verdict.asked,
    });
  }
  if (options.onItems && reply.status === endpoint.status) streamed = await handOver(operation, reply, options.onItems, lost);
  else
    bytes = new Uint8Array(
      await reply.arrayBuffer().catch((error: unknown) => {
        throw lost(error);
      }),
    );
  const decoded = (): string => new TextDecoder().decode(bytes);
  if (verdict.kind === 'fail') throw apiError(operation, requestId, reply.status, decoded(), verdict.retryable);

  const value =
    streamed !== undefined
      ? streamed
      : reply.headers.get('content-type')?.startsWith('application/octet-stream')
        ? bytes
        : parseJson(operation, decoded());
  const output = z.safeParse<E['output']>(endpoint.output, value);
  if (!output.success) throw new ContractError(operation, 'answer', issues(output.error));
  options.onAnswer?.({ requestId: reply.headers.get('x-request-id') ?? requestId, status: reply.status });
  return output.data;
}

/** Hands the members of a list over; an answer that is no list is answered as it is. */
async function handOver(
  operation: string,
  reply: Response,
  onItems: NonNullable<CallOptions['onItems']>,
  lost: (error: unknown) => Error,
): Promise<unknown> {
  const parts = jsonItems(reply.body ?? new ReadableStream());
  for (;;) {
    let next: Awaited<ReturnType<typeof parts.next>>;
    try {
      next = await parts.next();
    } catch (error) {
      if (error instanceof SyntaxError) throw new ContractError(operation, 'answer', 'it is not JSON');
      throw lost(error);
    }
    if (next.done) return [];
    if ('value' in next.value) return next.value.value;
    // Outside of the try: what fails here is not the network.
    await onItems(next.value.items);
  }
}

const issues = (error: z.ZodError): string => z.prettifyError(error).replaceAll('\n', ' ').replaceAll('✖ ', '');

function parseJson(operation: string, text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new ContractError(operation, 'answer', 'it is not JSON');
  }
}

/** Same request in the same scope, same id, so the service can tell an early repeat from another call. */
function callId(scope: string | undefined, operation: string, request: ReturnType<typeof toRequest>): string | undefined {
  if (scope === undefined) return undefined;
  return createHash('sha256')
    .update(`${scope}\n${operation}\n${request.url}\n`)
    .update(request.body ?? '')
    .digest('hex')
    .slice(0, 32);
}

export const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
]);

/** The code alone: messages and causes of network errors may quote headers. */
export function networkCode(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof AggregateError) return networkCode(at.errors[0]);
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return 'network';
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Both APIs' error bodies: `{detail}`, `{detail: [{loc, msg}]}`, `{error, code, issues}`, or text. */
export function apiError(operation: string, requestId: string, status: number, body: string, retryable: boolean): ApiError {
  let parsed: { detail?: unknown; error?: unknown; code?: unknown } = {};
  try {
    parsed = JSON.parse(body) ?? {};
  } catch {
    // Not JSON: the text itself is the detail.
  }
  const { detail, error, code } = parsed;
  const said = Array.isArray(detail)
    ? detail.map((item: { loc?: unknown[]; msg?: string }) => `${item.loc?.join('.') ?? ''} ${item.msg ?? ''}`.trim()).join('; ')
    : text(detail ?? error ?? (body.slice(0, 300) || 'no body'));
  return new ApiError({ operation, requestId, status, body, retryable, detail: said, ...(typeof code === 'string' ? { code } : {}) });
}
