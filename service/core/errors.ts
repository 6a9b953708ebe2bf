/** One finding of a 422 body (maps text, validation error). */
export type Finding = { loc: (string | number)[]; msg: string; type: string };

/** A refusal with the wire form of the maps API: `{"detail": string}`, for 422 `{"detail": Finding[]}`. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly detail: string | Finding[];
  readonly headers: Record<string, string>;
  constructor(status: number, detail: string | Finding[], headers: Record<string, string> = {}) {
    super(typeof detail === 'string' ? detail : detail.map((finding) => `${finding.loc.join('.')}: ${finding.msg}`).join('; '));
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

/** 422 on one field of the body. */
export const invalid = (field: string, msg: string): HttpError => new HttpError(422, [{ loc: ['body', field], msg, type: 'value_error' }]);

/** 404 in the one wording that all resources share. */
export const notFound = (what: string, id: string): HttpError => new HttpError(404, `${what} not found: ${id}`);
