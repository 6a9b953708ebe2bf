import { pathFields, type Endpoint } from '../contracts/endpoint.ts';
import { encodeQuery } from '../contracts/query.ts';
import { encodeForm, encodeMultipart } from './multipart.ts';

/** A call as HTTP sends it. */
export type WireRequest = {
  method: string;
  url: string;
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Of a form it names the content too: equal forms have equal ones. */
  contentType?: string;
  /** Of a stream, where it is known. */
  bytes?: number;
};

/** A value in a path. Fails with `RangeError` for one that an address takes for a step in itself: another path would be asked. */
function inPathOf(field: string, value: string): string {
  if (/^\.{1,2}$/.test(value)) throw new RangeError(`${field} is '${value}', which names nothing in an address`);
  return encodeURIComponent(value);
}

/** Method, URL and body of a call, from its endpoint and its parsed input; `extra` goes into the body, or the query where that is no object, unseen by the contract. */
export async function toRequest(
  endpoint: Endpoint,
  input: Readonly<Record<string, unknown>>,
  baseUrl: string,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<WireRequest> {
  const { method, query = {} } = endpoint;
  const inPath = pathFields(endpoint.path);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => inPathOf(name, String(input[name])));
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  for (const [name, text] of encodeQuery(query, input)) url.searchParams.append(name, text);
  const kind = endpoint.body ?? 'json';
  if (method === 'GET' || kind === 'bytes' || kind === 'stream' || endpoint.wholeBody !== undefined)
    for (const [name, value] of Object.entries(extra))
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  if (method === 'GET') return { method, url: url.href };
  const rest = Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== undefined && !inPath.includes(name) && !(name in query)),
  );
  if (endpoint.wholeBody !== undefined)
    return { method, url: url.href, body: JSON.stringify(rest[endpoint.wholeBody]), contentType: 'application/json' };
  return { method, url: url.href, ...(await bodies[kind]({ ...rest, ...extra })) };
}

type Body = Pick<WireRequest, 'body' | 'contentType' | 'bytes'>;

const urlencoded = (fields: Record<string, unknown>): Body => ({
  body: encodeForm(fields),
  contentType: 'application/x-www-form-urlencoded',
});

/** The body of a request by its kind, from the fields that stand neither in the path nor in the query. */
const bodies: Readonly<Record<NonNullable<Endpoint['body']>, (fields: Record<string, unknown>) => Body | Promise<Body>>> = {
  json: (fields) => ({ body: JSON.stringify(fields), contentType: 'application/json' }),
  bytes: ({ body }) => ({ body: body as Uint8Array, contentType: 'application/octet-stream' }),
  stream: ({ body }) => ({ body: body as AsyncIterable<Uint8Array>, contentType: 'application/octet-stream' }),
  multipart: encodeMultipart,
  urlencoded,
  form: (fields) =>
    Object.values(fields)
      .flat()
      .some((value) => value instanceof Blob)
      ? encodeMultipart(fields)
      : urlencoded(fields),
};
