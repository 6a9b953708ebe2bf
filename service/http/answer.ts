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
  const text = textOf(value);
  if (text !== undefined) return new Response(text, { status, headers: { 'content-type': 'application/json' } });
  return value instanceof Uint8Array
    ? new Response(value as Uint8Array<ArrayBuffer>, { status, headers: { 'content-type': 'application/octet-stream' } })
    : jsonAnswer(value, status);
};

/** Any error as a response; what is not an `HttpError` is a 500 that tells nothing of the inside. */
export const errorAnswer = (error: unknown): Response =>
  error instanceof HttpError
    ? jsonAnswer({ detail: error.detail }, error.status, error.headers)
    : jsonAnswer({ detail: 'internal error; see the log of the service' }, 500);
