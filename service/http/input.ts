import type { z } from 'zod';
import { pathFields } from '../../contracts/endpoint.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { decodeQuery } from '../../contracts/query.ts';
import { HttpError } from '../core/errors.ts';
import { readBody } from './body.ts';

const text = new TextDecoder('utf-8', { fatal: true });

const parseJson = (body: Uint8Array): Record<string, unknown> => {
  if (body.byteLength === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(text.decode(body));
  } catch (error) {
    throw new HttpError(422, [{ loc: ['body'], msg: `not JSON: ${(error as Error).message}`, type: 'json_invalid' }]);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new HttpError(422, [{ loc: ['body'], msg: 'must be a JSON object', type: 'value_error' }]);
  return value as Record<string, unknown>;
};

const safeParse = (endpoint: Endpoint, fields: Record<string, unknown>) => {
  try {
    return endpoint.input.safeParse(fields);
  } catch (error) {
    // A schema that recurses meets its end in the stack long before the JSON parser does.
    if (error instanceof RangeError) throw new HttpError(422, [{ loc: ['body'], msg: 'nests too deep; flatten it', type: 'value_error' }]);
    throw error;
  }
};

/** Checks fields against the contract; 422 with one finding per zod issue. */
export const checkInput = (endpoint: Endpoint, fields: Record<string, unknown>): z.output<Endpoint['input']> => {
  const parsed = safeParse(endpoint, fields);
  if (parsed.success) return parsed.data;
  const inPath = new Set(pathFields(endpoint.path));
  const inQuery = new Set(Object.keys(endpoint.query ?? {}));
  throw new HttpError(
    422,
    parsed.error.issues.map((issue) => {
      const first = String(issue.path[0] ?? '');
      return {
        loc: [
          inPath.has(first) ? 'path' : inQuery.has(first) ? 'query' : 'body',
          ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
        ],
        msg: issue.message,
        type: issue.code,
      };
    }),
  );
};

/** The fields of a request, wherever the contract puts them: path, query, JSON body or bytes. The body is chosen by route, never by header. */
export const readFields = async (
  endpoint: Endpoint,
  request: Request,
  params: Record<string, string>,
  body: AsyncIterable<Uint8Array>,
): Promise<Record<string, unknown>> => {
  const sent = decodeQuery(endpoint.query ?? {}, new URL(request.url).searchParams);
  if (endpoint.method === 'GET') return { ...sent, ...params };
  const bytes = await readBody(body, request.headers.get('content-length'));
  return endpoint.body === 'bytes' ? { ...sent, ...params, body: bytes } : { ...parseJson(bytes), ...sent, ...params };
};
