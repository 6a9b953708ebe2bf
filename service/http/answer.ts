import { HttpError } from '../errors.ts';

/** JSON with exactly `application/json`: a public client refuses a charset parameter. */
export const jsonAnswer = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { ...headers, 'content-type': 'application/json' } });

/** A handler's value as a response: bytes as octet-stream, all else as JSON. */
export const toAnswer = (value: unknown, status: number): Response =>
  value instanceof Uint8Array
    ? new Response(value as Uint8Array<ArrayBuffer>, { status, headers: { 'content-type': 'application/octet-stream' } })
    : jsonAnswer(value, status);

/** Any error as a response; what is not an `HttpError` is a 500 that tells nothing of the inside. */
export const errorAnswer = (error: unknown): Response =>
  error instanceof HttpError
    ? jsonAnswer({ detail: error.detail }, error.status, error.headers)
    : jsonAnswer({ detail: 'internal error; see the log of the service' }, 500);
