import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id } from './common.ts';
import { blob, listOf } from './form.ts';

/** Most blobs of one call (assumption; public clients send 40). */
const mostBlobs = 512;

/** Hashes come in the order of the blobs, for the column `_blob_hash`. A blob is known by its hash: adding it again changes nothing. */
export const add = defineEndpoint({
  method: 'POST',
  path: '/v1/project/data/add/blobs',
  summary: 'Add blobs, such as images, to a dataset.',
  effect: 'idempotent',
  limit: 'maps/data',
  status: 200,
  body: 'multipart',
  input: z.strictObject({
    dataset_id: id,
    blobs: z.preprocess(listOf, z.array(blob).min(1).max(mostBlobs)),
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
