import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, pageOf, pageSizeUpTo, uncountedPage } from './common.ts';

/** Largest file of an upload, in bytes (public docs: 500 MB). */
export const largestFile = 500 * 1_048_576;

/** `processing` while its ingest is in progress, `ready` when nothing of it is left, `failed` where it failed. */
export const fileStatus = z.looseObject({ id: z.string(), status: z.string() });

/** A text is the file of its bytes, so that a pipeline file can give one. */
const file = z.preprocess((given) => (typeof given === 'string' ? new File([given], 'file.txt') : given), z.instanceof(Blob));

/** `path` is slash-delimited, each part URL-encoded, and begins with the root of its integration (public docs). */
export const search = defineEndpoint({
  method: 'GET',
  path: '/api/v0/files/search',
  summary: 'Files by a part of their name, in any case.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:files'],
  status: 200,
  query: { query: 'text', limit: 'number', cursor: 'text', integrationId: 'text' },
  page: uncountedPage,
  input: z.strictObject({
    query: z.string().min(1),
    limit: pageSizeUpTo(50),
    cursor: id.optional(),
    integrationId: z.string().min(1).optional(),
  }),
  output: pageOf(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      mimeType: z.string().nullish(),
      parentId: z.string().nullish(),
      path: z.string().nullish(),
    }),
  ),
});

export const status = defineEndpoint({
  method: 'GET',
  path: '/api/v0/files/{id}/status',
  summary: 'Whether a file is ready.',
  effect: 'safe',
  limit: 'instance/standard',
  scopes: ['developer:files'],
  status: 200,
  input: z.strictObject({ id }),
  output: fileStatus,
});

/** Made on first use, the same one after that: a repeat changes nothing. */
export const tempFolder = defineEndpoint({
  method: 'POST',
  path: '/api/v0/files/temp-folder',
  summary: "The caller's temporary upload folder.",
  effect: 'idempotent',
  limit: 'instance/write',
  scopes: ['developer:files:upload'],
  status: 200,
  input: z.strictObject({}),
  output: z.looseObject({ id: z.string() }),
});

/**
 * A repeat is one more file of equal bytes at most, which nobody launches and the temporary folder discards; the local service takes
 * equal bytes of one name in one folder for the version that is there, and other bytes for the next version of the file (assumption).
 */
export const upload = defineEndpoint({
  method: 'POST',
  path: '/api/v0/files/upload',
  summary: 'Upload a file, to the temporary folder or to a path.',
  effect: 'idempotent',
  limit: 'instance/heavy',
  scopes: ['developer:files:upload'],
  status: 200,
  body: 'multipart',
  spooled: { field: 'file', bytes: largestFile },
  input: z.strictObject({
    file,
    /** A folder; absent: the root of the caller's tree. */
    parentId: id.optional(),
    /** Folders on the way, which are made, and the name of the file (public docs). */
    path: z.string().min(1).max(1_024).optional(),
  }),
  output: z.looseObject({
    id: z.string(),
    name: z.string(),
    mimeType: z.string().nullish(),
    size: z.int().nullish(),
    fileType: z.string().nullish(),
    parentId: z.string().nullish(),
    fileVersionId: z.string(),
    createdAt: z.string().nullish(),
    status: z.string().nullish(),
  }),
});
