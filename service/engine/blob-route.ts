import { notFound } from '../core/errors.ts';
import type { Blobs } from './blobs.ts';
import type { Signed, Signer } from './signature.ts';

/** Path of a blob's URL as Hono writes it; `signedBlob` fills it. */
export const BLOB_ROUTE = '/blobs/:project/:hash';

export const signedBlob = (project: string, hash: string): Signed => ({
  method: 'GET',
  path: `/blobs/${project}/${hash}`,
  from: 'data/get/blob',
});

/**
 * GET of one blob: checks the URL and its time (`at`, epoch milliseconds), and streams the bytes.
 * Their type is what whoever added them says (`contracts/maps/media-type.ts`), and what they are nobody knows: no browser shows or runs
 * them in the origin of the service.
 */
export const createBlobHandler =
  (blobs: Blobs, signer: Signer) =>
  (request: Request, at: number): Response => {
    const url = new URL(request.url);
    const [, , project = '', hash = ''] = url.pathname.split('/');
    signer.check(signedBlob(project, hash), url.searchParams, at, 403);
    const found = blobs.open(project, hash);
    if (!found) throw notFound('blob', hash);
    return new Response(found.content, {
      headers: {
        'content-type': found.type ?? 'application/octet-stream',
        'content-length': String(found.bytes),
        'content-disposition': 'attachment',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      },
    });
  };
