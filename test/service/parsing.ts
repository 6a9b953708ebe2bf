import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { parsedDocument } from '../../contracts/parsed-document.ts';
import type { Answer, World } from './world.ts';

/** Who answers requests: a service in this process, or one over the network. */
type Fetching = { api: World['api']; service: { fetch(request: Request): Promise<Response> } };

type File = { bytes: Uint8Array | string; type?: string; name?: string };

/** Sends a file to be parsed; the URL that names it. */
export async function sendFile({ api, service }: Fetching, { bytes, type = 'text/plain', name = 'file' }: File) {
  const body = Buffer.from(bytes);
  const { status, body: made } = await api.post('/v1/upload', { files: [{ id: name, size: body.byteLength, content_type: type }] });
  expect(status).toBe(201);
  const [{ upload_url, svc_url, nomic_url }] = made.files;
  const put = await service.fetch(new Request(upload_url, { method: 'PUT', body }));
  expect([put.status, put.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
  return { upload_url, svc_url, nomic_url } as Record<'upload_url' | 'svc_url' | 'nomic_url', string>;
}

/** The last word on a task. */
export async function taskEnd({ api }: Pick<World, 'api'>, taskId: string): Promise<Answer['body']> {
  for (;;) {
    const { status, body } = await api.get(`/v1/status/${taskId}`);
    if (status !== 200) throw new Error(`status: ${status} ${JSON.stringify(body)}`);
    if (body.status === 'COMPLETED' || body.status === 'FAILED') return body;
    await pause(5);
  }
}

/** The document that a result URL gives, without a key. */
export async function resultOf({ service }: Pick<Fetching, 'service'>, url: string) {
  const answer = await service.fetch(new Request(url));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  return parsedDocument.parse(await answer.json());
}

/** How a file ends as a task: its document, or the answer of the failure. */
export async function parsed(world: World, file: File, options?: object) {
  const { svc_url: file_url } = await sendFile(world, file);
  const { body } = await world.api.post('/v1/parse', { file_url, ...(options ? { options } : {}) });
  const end = await taskEnd(world, body.task_id);
  return { end, document: end.status === 'COMPLETED' ? await resultOf(world, end.result_url) : undefined };
}

/** The document of a file that can be read; fails with the reason where it cannot. */
export async function documentOf(world: World, file: File, options?: object) {
  const { end, document } = await parsed(world, file, options);
  if (!document) throw new Error(`not read: ${JSON.stringify(end)}`);
  return document;
}
