import { z } from 'zod';
import type { ErrorCodec } from '../service.ts';

const issue = z.looseObject({ path: z.array(z.union([z.string(), z.number()])).default([]), message: z.string().default('') });
const body = z.looseObject({ error: z.string(), code: z.string().optional(), issues: z.array(issue).optional() });

/** Codes by status, where a refusal names none of its own (assumption: the text shows no error body). */
const codes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  422: 'unprocessable',
  429: 'rate_limited',
  500: 'internal',
  501: 'not_implemented',
  503: 'unavailable',
};

/** `{"error": text, "code": machine code, "issues"?: [{path, message}]}` (public docs); a request that does not fit is a 400. */
export const errors: ErrorCodec = {
  write({ status, detail, code }) {
    if (typeof detail === 'string') return { status, body: { error: detail, code: code ?? codes[status] ?? 'error' } };
    const issues = detail.map(({ loc: [, ...path], msg }) => ({ path, message: msg }));
    const place = detail[0]?.loc[0] === 'body' ? 'request body' : 'parameters';
    return { status: 400, body: { error: `Invalid ${place}`, code: code ?? 'bad_request', issues } };
  },
  read(value) {
    const parsed = body.safeParse(value);
    if (!parsed.success) return undefined;
    const { error, code, issues = [] } = parsed.data;
    const found = issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
    return { detail: found === '' ? error : `${error}: ${found}`, ...(code === undefined ? {} : { code }) };
  },
};
