import type { z } from 'zod';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { decodeQuery } from '../../contracts/query.ts';
import { HttpError, isStackOverflow, tooDeep } from '../core/errors.ts';
import type { Address } from './addresses.ts';
import { readBody } from './body.ts';
import type { Spool } from './spool.ts';

const text = new TextDecoder('utf-8', { fatal: true });

const valueOf = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(text.decode(body));
  } catch (error) {
    throw new HttpError(422, [{ loc: ['body'], msg: `not JSON: ${(error as Error).message}`, type: 'json_invalid' }]);
  }
};

const parseJson = (body: Uint8Array, whole: string | undefined): Record<string, unknown> => {
  if (body.byteLength === 0) return {};
  const value = valueOf(body);
  if (whole !== undefined) return { [whole]: value };
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new HttpError(422, [{ loc: ['body'], msg: 'must be a JSON object', type: 'value_error' }]);
  return value as Record<string, unknown>;
};

const safeParse = (endpoint: Endpoint, fields: Record<string, unknown>) => {
  try {
    return endpoint.input.safeParse(fields);
  } catch (error) {
    throw isStackOverflow(error) ? tooDeep() : error;
  }
};

/** The fields of a request, and where each of them stood. */
export type Fields = {
  values: Record<string, unknown>;
  places: Readonly<Record<string, readonly string[]>>;
  /** Removes what the request has put on the disk, once it is answered. */
  discard: () => Promise<void>;
};

/** Checks fields against the contract; refused with one finding per zod issue. */
export const checkInput = (endpoint: Endpoint, { values, places }: Omit<Fields, 'discard'>): z.output<Endpoint['input']> => {
  const parsed = safeParse(endpoint, values);
  if (parsed.success) return parsed.data;
  throw new HttpError(
    422,
    parsed.error.issues.map((issue) => {
      const [first, ...rest] = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
      const place = first === undefined ? ['body'] : (places[String(first)] ?? ['body', first]);
      return { loc: [...place, ...rest], msg: issue.message, type: issue.code };
    }),
  );
};

/** What carries the fields of a request. */
export type Carried = {
  address: Address;
  endpoint: Endpoint;
  request: Request;
  params: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
  spool: Spool;
};

/** The fields of a request, wherever its address puts them: path, query or body. How the body is read is the contract's, never a header's. */
export const readFields = async ({ address, endpoint, request, params, body, spool }: Carried): Promise<Fields> => {
  const { method, query } = address;
  const sent = decodeQuery(
    Object.fromEntries(Object.entries(query).map(([name, { type }]) => [name, type])),
    new URL(request.url).searchParams,
  );
  const inQuery = Object.fromEntries(Object.entries(sent).map(([name, value]) => [query[name]!.field, value]));
  const { fields, discard = async () => undefined } = method === 'GET' ? { fields: {} } : await bodyFields(endpoint, request, body, spool);
  // A field has one place: what stands in the body under the name of one of the query or the path is not that field.
  const elsewhere = new Set([...Object.values(query).map(({ field }) => field), ...Object.keys(params)]);
  const inBody = Object.fromEntries(Object.entries(fields).filter(([name]) => !elsewhere.has(name)));
  return {
    discard,
    values: { ...inBody, ...inQuery, ...params },
    places: {
      ...(endpoint.wholeBody === undefined ? {} : { [endpoint.wholeBody]: ['body'] }),
      ...Object.fromEntries(Object.entries(query).map(([name, { field }]) => [field, ['query', name]])),
      ...Object.fromEntries(Object.keys(params).map((name) => [name, ['path', name]])),
    },
  };
};

type BodyFields = { fields: Record<string, unknown>; discard?: () => Promise<void> };

const bodyFields = async (
  { body: kind = 'json', spooled, wholeBody }: Endpoint,
  request: Request,
  body: AsyncIterable<Uint8Array>,
  spool: Spool,
): Promise<BodyFields> => {
  if (kind === 'stream') return { fields: { body } };
  const promised = request.headers.get('content-length');
  const type = request.headers.get('content-type') ?? '';
  if (spooled) return spool.take(body, type, promised, spooled);
  const bytes = await readBody(body, promised);
  if (kind === 'bytes') return { fields: { body: bytes } };
  return { fields: kind === 'json' ? parseJson(bytes, wholeBody) : await formFields(bytes, type) };
};

/** The parts of a form by their name: text as text, a file as a `File`, a name that comes several times as a list. */
const formFields = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Record<string, unknown>> => {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new HttpError(422, [{ loc: ['body'], msg: `not a form: ${type || 'no content type'}`, type: 'value_error' }]);
  });
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
};
