import { BadInput } from '../../errors/classes.ts';
import { notFound } from '../core/errors.ts';
import { projectOf } from '../core/records/projects.ts';
import type { PagesState } from './state.ts';
import { pageHeaders } from './html.ts';

/** Longest side of an image on a page, in pixels. */
const side = 384;

/** Column that names a blob in each row. */
export const blobColumn = '_blob_hash';

export const imageAddress = (project: string, hash: string): string =>
  `/pages/images/${encodeURIComponent(project)}/${encodeURIComponent(hash)}`;

/**
 * A blob as an image that a browser may show: decoded behind the fence and encoded anew, so that whatever else its bytes are, none of them
 * reach the browser. 404 where the blob is no image.
 */
export const pageImage = async ({ records, blobs, images, userId }: PagesState, project: string, hash: string): Promise<Response> => {
  const { id } = projectOf(records, userId, project, 'read');
  const file = blobs.file(id, hash);
  if (file === undefined) throw notFound('image', hash);
  try {
    const { jpeg } = await images.shrink(`blob ${hash}`, file, side);
    return new Response(new Uint8Array(jpeg), { headers: { ...pageHeaders, 'content-type': 'image/jpeg' } });
  } catch (error) {
    if (error instanceof BadInput) throw notFound('image', hash);
    throw error;
  }
};
