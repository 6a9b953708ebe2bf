import { HttpError, notFound } from '../../core/errors.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import { countParts, placeOf } from './plan.ts';
import type { Signed, Signer } from '../signature.ts';
import type { Uploads } from './store.ts';

/** Path of a part's URL as Hono writes it; `signedPart` fills it. */
export const PART_ROUTE = '/uploads/:upload/:part';

export const signedPart = (uploadId: string, partNumber: number): Signed => ({
  method: 'PUT',
  path: `/uploads/${uploadId}/${partNumber}`,
  from: 'upload/start',
});

/** PUT of one part: checks the URL and its time (`at`, epoch milliseconds) before a byte is read, and returns the ETag. */
export const createPartHandler =
  ({ records, parts, ready }: Uploads, signer: Signer, readings: ServiceReadings) =>
  async (request: Request, body: AsyncIterable<Uint8Array>, at: number): Promise<Response> => {
    const url = new URL(request.url);
    const [, , uploadId = '', number = ''] = url.pathname.split('/');
    const partNumber = Number(number);
    signer.check(signedPart(uploadId, partNumber), url.searchParams, at, readings.of('expired-part') === 'forbidden' ? 403 : 400);
    const upload = records.get(uploadId);
    if (!upload || partNumber > countParts(upload)) throw notFound('upload', uploadId);
    const { length } = placeOf(upload, partNumber);
    const promised = Number(request.headers.get('content-length') ?? 0);
    if (promised > length) throw new HttpError(413, `part ${partNumber} has ${promised} bytes, at most ${length} belong to it`);
    await ready;
    const md5 = await parts.put(upload, partNumber, body);
    return new Response(null, { headers: { etag: `"${md5}"` } });
  };
