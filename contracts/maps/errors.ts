import { z } from 'zod';
import type { ErrorCodec } from '../service.ts';

const finding = z.looseObject({ loc: z.array(z.union([z.string(), z.number()])).default([]), msg: z.string().default('') });
const body = z.looseObject({ detail: z.union([z.string(), z.array(finding), z.looseObject({})]) });

/**
 * A public client drops the shard, and reports success, where one of these refusals of an addition has a JSON body with a
 * `detail`; it sends again where the body is text, and raises where the detail is also the name of a field.
 */
const additions = 'maps.data.addArrow';
const asText = new Set([413, 429, 503, 504]);
const asName = new Set([403, 409]);

/**
 * `{"detail": text}`, with `status_code` in a 403 (public docs), and for a request that does not fit 422 with
 * `{"detail": [{loc, msg, type}]}` (maps text, Errors).
 */
export const errors: ErrorCodec = {
  write({ status, detail }, operation) {
    const body = status === 403 ? { status_code: status, detail } : { detail };
    if (operation !== additions || typeof detail !== 'string') return { status, body };
    if (asText.has(status)) return { status, body: detail };
    return { status, body: asName.has(status) ? { ...body, [detail]: true } : body };
  },
  read(value) {
    const parsed = body.safeParse(value);
    if (!parsed.success) return undefined;
    const { detail } = parsed.data;
    if (typeof detail === 'string') return { detail };
    if (!Array.isArray(detail)) return { detail: JSON.stringify(detail) };
    return { detail: detail.map(({ loc, msg }) => `${loc.join('.')} ${msg}`.trim()).join('; ') };
  },
};
