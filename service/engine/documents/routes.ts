import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { HttpError, notFound } from '../../core/errors.ts';
import type { Signed, Signer } from '../signature.ts';
import type { DocumentStore } from './store.ts';
import type { TaskRow } from './tasks.ts';

/** Paths of the URLs that an upload and a result have, as Hono writes them; the functions below fill them. */
export const FILE_ROUTE = '/files/:file';
export const RESULT_ROUTE = '/results/:task';

export const signedFile = (fileId: string): Signed => ({ method: 'PUT', path: `/files/${fileId}`, from: 'POST /v1/upload' });
export const signedResult = ({ task_id, user_id }: Pick<TaskRow, 'task_id' | 'user_id'>): Signed => ({
  method: 'GET',
  path: `/results/${task_id}`,
  from: user_id === null ? 'GET /v1/status/{task_id}' : 'GET /api/v0/parse/{taskId}',
});

const lastOf = (request: Request): { url: URL; id: string } => {
  const url = new URL(request.url);
  return { url, id: url.pathname.split('/')[2] ?? '' };
};

/** PUT of one file: checks the URL and its time (`at`, epoch milliseconds) before a byte is read, and returns the ETag. */
export const createFileHandler =
  ({ files }: DocumentStore, signer: Signer) =>
  async (request: Request, body: AsyncIterable<Uint8Array>, at: number): Promise<Response> => {
    const { url, id } = lastOf(request);
    signer.check(signedFile(id), url.searchParams, at, 403);
    const file = files.get(id);
    if (!file) throw notFound('file', id);
    const promised = Number(request.headers.get('content-length') ?? 0);
    if (promised > file.size) throw new HttpError(413, `the file has ${promised} bytes, and ${file.size} were announced`);
    const md5 = await files.fill(file, body, Number.isFinite(at) ? at : 0);
    return new Response(null, { headers: { etag: `"${md5}"` } });
  };

/** GET of one result, without a key. */
export const createResultHandler =
  ({ resultPath, tasks }: DocumentStore, signer: Signer) =>
  (request: Request, at: number): Response => {
    const { url, id } = lastOf(request);
    signer.check(signedResult(tasks.get(id) ?? { task_id: id, user_id: null }), url.searchParams, at, 403);
    const found = statSync(resultPath(id), { throwIfNoEntry: false });
    if (!found) throw notFound('result', id);
    return new Response(Readable.toWeb(createReadStream(resultPath(id))) as ReadableStream<Uint8Array>, {
      headers: {
        'content-type': 'application/json',
        'content-length': String(found.size),
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      },
    });
  };
