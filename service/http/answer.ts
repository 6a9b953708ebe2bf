import type { ErrorCodec } from '../../contracts/service.ts';
import { HttpError } from '../core/errors.ts';

/** JSON with exactly `application/json`: a public client refuses a charset parameter. */
export const jsonAnswer = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { ...headers, 'content-type': 'application/json' } });

const written = Symbol('JSON text');

/** A handler's answer of type T that is JSON text already: one of megabytes is not made twice. */
export const jsonText = <T>(text: string): T => ({ [written]: text }) as T;

const textOf = (value: unknown): string | undefined =>
  value !== null && typeof value === 'object' && written in value ? (value[written] as string) : undefined;

/** A handler's answer as plain values, for who looks into it. */
export const plainAnswer = (value: unknown): unknown => {
  const text = textOf(value);
  return text === undefined ? value : JSON.parse(text);
};

/** A handler's value as a response: a response as it is, bytes as octet-stream, all else as JSON. */
export const toAnswer = (value: unknown, status: number): Response => {
  if (value instanceof Response) return value;
  if (status === 204) return new Response(null, { status });
  const text = textOf(value);
  if (text !== undefined) return new Response(text, { status, headers: { 'content-type': 'application/json' } });
  return value instanceof Uint8Array
    ? new Response(value as Uint8Array<ArrayBuffer>, { status, headers: { 'content-type': 'application/octet-stream' } })
    : jsonAnswer(value, status);
};

/** Any error as a response in the form of its API; what is no refusal is a 500 that says nothing of the inside. */
export const errorAnswer = (error: unknown, errors: ErrorCodec, operation: string): Response => {
  const known = error instanceof HttpError ? error : new HttpError(500, 'internal error; see the log of the service');
  const { status, body } = errors.write(known, operation);
  if (typeof body === 'string') return new Response(body, { status, headers: { ...known.headers, 'content-type': 'text/plain' } });
  return jsonAnswer(body, status, known.headers);
};

/** The form of what the service itself refuses, and no API: `{"detail": text}`, or findings. */
export const plainErrors: ErrorCodec = {
  write: ({ status, detail }) => ({ status, body: { detail } }),
  read: () => undefined,
};
