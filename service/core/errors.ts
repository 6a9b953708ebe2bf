import type { FieldFinding } from '../../contracts/service.ts';

/** A refusal: one sentence, or findings about the request. Its body on the wire is its API's own. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly detail: string | FieldFinding[];
  readonly headers: Record<string, string>;
  /** Machine code, where an API has one beside the status. */
  readonly code?: string;
  constructor(status: number, detail: string | FieldFinding[], headers: Record<string, string> = {}, code?: string) {
    super(typeof detail === 'string' ? detail : detail.map((finding) => `${finding.loc.join('.')}: ${finding.msg}`).join('; '));
    this.status = status;
    this.detail = detail;
    this.headers = headers;
    if (code !== undefined) this.code = code;
  }
}

/** 422 on one field of the body; `body` is all of it, where it is no JSON. */
export const invalid = (field: string, msg: string): HttpError =>
  new HttpError(422, [{ loc: field === 'body' ? ['body'] : ['body', field], msg, type: 'value_error' }]);

/** 422 on some places of the body: one finding for each. */
export const invalidPlaces = (findings: readonly { at: readonly (string | number)[]; msg: string }[]): HttpError =>
  new HttpError(
    422,
    findings.map(({ at, msg }) => ({ loc: ['body', ...at], msg, type: 'value_error' })),
  );

/** 422: what recurses over a value meets its end in the stack long before the JSON parser does. */
export const tooDeep = (): HttpError => new HttpError(422, [{ loc: ['body'], msg: 'nests too deep; flatten it', type: 'value_error' }]);

export const isStackOverflow = (error: unknown): boolean => error instanceof RangeError && error.message.includes('call stack');

/** A query parameter that does not fit, where the schema cannot see it. */
export const invalidParameter = (field: string, msg: string): HttpError =>
  new HttpError(422, [{ loc: ['query', field], msg, type: 'value_error' }]);

/** 403 in the one wording that public clients know. */
export const notAuthorized = (): HttpError => new HttpError(403, 'The user is not authorized to perform this action.');

/** 404 in the one wording that all resources share. */
export const notFound = (what: string, id: string): HttpError => new HttpError(404, `${what} not found: ${id}`);

/** 501: what is asked for cannot be done where this service runs. The contract of each operation that can answer so declares it. */
export const notHere = (why: string): HttpError => new HttpError(501, why);

/** Names of unknown ids in a refusal. */
const mostNamed = 100;

/** 404 that names ids which are not there, the first ones of many. */
export const unknownIds = (what: string, ids: readonly string[]): HttpError =>
  new HttpError(404, `unknown ${what}: ${ids.slice(0, mostNamed).join(', ')}`);

/** How a key is sent (RFC 6750). */
export const challenge = { 'www-authenticate': 'Bearer' };

export const noKey = (): HttpError => new HttpError(401, 'no key: send the header Authorization: Bearer <API key>', challenge);
