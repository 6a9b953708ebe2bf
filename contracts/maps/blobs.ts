import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id } from './common.ts';
import { blob, listOf } from './form.ts';
import { passiveType } from './media-type.ts';

/** Most blobs of one call (assumption; public clients send 40). */
const mostBlobs = 512;

const several = <T extends z.ZodType>(one: T) =>
  z
    .preprocess(
      listOf,
      z.array(one).min(1, 'is empty: name at least one').max(mostBlobs, `more than ${mostBlobs} in one call: send the rest in another`),
    )
    .optional();

/**
 * Hashes come in the order of the blobs, for the column `_blob_hash`. A blob is known by its hash: adding it again changes nothing but the
 * type that its signed URL says. Assumptions, for the text names the fields alone: `blobs` or `urls` and never both; null where the file of
 * a URL cannot be had, and the others are added; one `content_type` for all or one for each, the latest where a blob has had several; none
 * is taken from a part or from the server of a URL.
 */
export const add = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/add/blobs',
  summary: 'Add blobs, such as images, to a dataset, by their bytes or by their URLs.',
  effect: 'idempotent',
  limit: 'maps/data',
  status: 200,
  body: 'multipart',
  input: z
    .strictObject({
      dataset_id: id,
      blobs: several(blob),
      urls: several(z.string().min(1, 'is empty: name an http(s) address')),
      content_type: several(passiveType),
    })
    .superRefine(({ blobs, urls, content_type: types = [] }, context) => {
      const sent = blobs ?? urls;
      if (!sent || (blobs && urls))
        context.addIssue({ code: 'custom', path: ['blobs'], message: 'send either blobs or urls, and not both' });
      else if (types.length > 1 && types.length !== sent.length)
        context.addIssue({
          code: 'custom',
          path: ['content_type'],
          message: `names ${types.length} types for ${sent.length} ${blobs ? 'blobs' : 'urls'}: send one for all, or one for each in their order`,
        });
    }),
  output: z.looseObject({ hashes: z.array(z.string().nullable()) }),
});

/** A URL that gives the bytes without a key, for an hour (assumption). */
export const get = defineEndpoint({
  method: 'GET',
  path: '/v1/project/data/get/blob/{dataset_id}/{blob_hash}',
  summary: 'A signed URL of a blob.',
  effect: 'safe',
  limit: 'maps/read',
  auth: 'public',
  status: 200,
  input: z.strictObject({ dataset_id: id, blob_hash: z.string().min(1) }),
  output: z.looseObject({ url: z.string() }),
});
