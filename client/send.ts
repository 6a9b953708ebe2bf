import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Endpoint } from '../contracts/endpoint.ts';
import { TooLong } from './answer-body.ts';
import { attempt, type Refused } from './attempt.ts';
import type { CallOptions } from './client.ts';
import { concealing } from './conceal.ts';
import { decode, Unreadable } from './decode.ts';
import { ApiError, ContractError, notTheApi } from './errors.ts';
import type { Exchange, Incoming } from './exchange.ts';
import type { Permits } from './permits.ts';
import { saidBy } from './refusal.ts';
import { toRequest, type WireRequest } from './request.ts';
import { keepingSecrets, type SecretSink } from './secret-sink.ts';

export type Transport = {
  baseUrl: string;
  token: string | (() => Promise<string>);
  permits: Permits;
  /** One attempt, answer included. Default 60 s. */
  timeoutMs?: number;
  /** Scope of call ids: equal calls in the same scope are attempts of one call. Default: every call is its own. */
  callScope?: string;
  /** Awaited right before a call with an effect leaves; throws where it must not be sent any more. */
  fence?: () => Promise<void>;
  /** Sends the requests. @default exchange */
  by?: Exchange;
  /** Called for each request that leaves. */
  onSent?: (operation: string) => void;
  /** Where secrets in answers go. Without one, an operation whose answer holds a secret is not sent. */
  secrets?: SecretSink;
};

/** Sends one call once: no retry here. Throws `ApiError`, `Throttled`, `NetworkError` or `ContractError`. */
export async function send<E extends Endpoint>(
  operation: string,
  endpoint: E,
  input: unknown,
  transport: Transport,
  options: CallOptions = {},
): Promise<z.output<E['output']>> {
  const { fields, request } = await prepared(operation, endpoint, input, transport.baseUrl, options);
  const exchanged = async (): Promise<z.output<E['output']>> => {
    const key = endpoint.auth === false ? undefined : await tokenOf(transport);
    const attempted = await attempt({
      operation,
      requestId: randomUUID(),
      limit: endpoint.limit,
      permits: transport.permits,
      callId: callId(transport.callScope, operation, request),
      request: {
        method: request.method,
        url: request.url,
        headers: {
          accept: accepted[endpoint.answer ?? 'json'],
          ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
          ...(request.bytes === undefined ? {} : { 'content-length': String(request.bytes) }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        // It is not sent again where nobody knows whether it arrived.
        alone: endpoint.effect === 'never',
      },
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? transport.timeoutMs ?? 60_000,
      by: transport.by,
      fence: endpoint.effect === 'safe' ? undefined : leaves(transport.fence, options.onLeaving),
      onSent: () => transport.onSent?.(operation),
      declared: declaredBy(endpoint, request.url),
    });
    const { requestId, at } = attempted;
    const value =
      'refused' in attempted
        ? resultOf(operation, endpoint, fields, request.url, requestId, attempted.refused, concealing(endpoint, fields, key))
        : await valueOf(operation, endpoint, attempted.answer, options);
    const output = z.safeParse<E['output']>(endpoint.output, value);
    if (!output.success) throw new ContractError(operation, 'answer', issues(output.error), notTheApi);
    const { status } = 'refused' in attempted ? attempted.refused : attempted.answer;
    options.onAnswer?.({ requestId, status, ...(at === undefined ? {} : { at }) });
    return output.data;
  };
  return endpoint.secrets ? keepingSecrets(operation, endpoint.secrets, transport.secrets, options.secret, exchanged) : exchanged();
}

/** Passes the fence; what passed it leaves. */
const leaves = (fence: Transport['fence'], onLeaving: CallOptions['onLeaving']) => async (): Promise<void> => {
  await fence?.();
  onLeaving?.();
};

const accepted: Readonly<Record<NonNullable<Endpoint['answer']>, string>> = {
  json: 'application/json',
  bytes: 'application/octet-stream',
  'json or bytes': 'application/json, application/octet-stream',
  stream: '*/*',
  nothing: '*/*',
};

const tokenOf = async ({ token }: Transport): Promise<string> => (typeof token === 'string' ? token : token());

/** The fields as the contract takes them, and the request that they make. */
async function prepared(
  operation: string,
  endpoint: Endpoint,
  input: unknown,
  baseUrl: string,
  { onItems, extra }: CallOptions,
): Promise<{ fields: Readonly<Record<string, unknown>>; request: WireRequest }> {
  try {
    if (onItems && !endpoint.list)
      throw new ContractError(operation, 'request', 'its answer is no list whose members could be handed over');
    const parsed = endpoint.input.safeParse(input);
    if (!parsed.success) throw new ContractError(operation, 'request', issues(parsed.error), remedyOf(parsed.error));
    const fields = parsed.data as Readonly<Record<string, unknown>>;
    return { fields, request: await toRequest(endpoint, fields, baseUrl, extra) };
  } catch (error) {
    // A value that nests thousands of levels meets the end of the stack; a list may hold what its query type cannot carry.
    if (error instanceof RangeError)
      throw new ContractError(operation, 'request', /stack/.test(error.message) ? 'it nests too deep; flatten it' : error.message);
    throw error;
  }
}

async function valueOf(operation: string, endpoint: Endpoint, answer: Incoming, { onItems }: CallOptions): Promise<unknown> {
  try {
    return await decode(endpoint, answer, onItems);
  } catch (error) {
    if (error instanceof Unreadable) throw new ContractError(operation, 'answer', error.message, error.remedy);
    if (error instanceof TooLong) throw new ContractError(operation, 'answer', error.message, 'ask for less: fewer fields, a smaller page');
    throw error;
  }
}

/** Statuses that the contract knows by the codes of their bodies. */
const declaredBy =
  ({ errors = [] }: Endpoint, url: string) =>
  (status: number): ((body: string) => boolean) | undefined => {
    const codes = errors.flatMap((error) => (error.status === status && error.code !== undefined ? [error.code] : []));
    return codes.length === 0 ? undefined : (body) => codes.includes(saidBy({ status, body, retryable: false }, url).code ?? '');
  };

/** A failure that the contract declares to be the effect gives the call's result; any other is thrown. */
function resultOf(
  operation: string,
  endpoint: Endpoint,
  fields: Readonly<Record<string, unknown>>,
  url: string,
  requestId: string,
  answered: Refused,
  conceal: (text: string) => string,
): unknown {
  const refused = { ...answered, body: conceal(answered.body) };
  // Read before anything is taken out of it: a service may escape what it quotes.
  const read = saidBy(answered, url);
  const said = { ...read, detail: conceal(read.detail) };
  const declared = endpoint.errors?.find(
    // A code decides alone: with what status it comes is not shown.
    ({ status, code, body }) =>
      (code === undefined ? status === refused.status : code === said.code) && (body === undefined || body.test(refused.body)),
  );
  if (declared?.means === 'done') return declared.as(fields);
  throw new ApiError({
    operation,
    requestId,
    ...refused,
    ...said,
    ...(declared && { retryable: declared.means === 'later', nothingHappened: true }),
    ...(declared?.remedy === undefined ? {} : { remedy: declared.remedy }),
  });
}

/** A service may know more than its text. */
const remedyOf = (error: z.ZodError): string | undefined =>
  error.issues.some(({ code }) => code === 'unrecognized_keys')
    ? 'where the service knows such a field although its text does not name it, give it as `extra`'
    : undefined;

const issues = (error: z.ZodError): string => z.prettifyError(error).replaceAll('\n', ' ').replaceAll('✖ ', '');

/** Same request in the same scope, same id, so the service can distinguish an early repeat from another call. */
function callId(scope: string | undefined, operation: string, { url, body, contentType = '' }: WireRequest): string | undefined {
  if (scope === undefined) return undefined;
  return createHash('sha256')
    .update(`${scope}\n${operation}\n${url}\n`)
    .update(typeof body === 'string' || body instanceof Uint8Array ? body : contentType)
    .digest('hex')
    .slice(0, 32);
}
