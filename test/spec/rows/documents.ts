import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { parsedDocument } from '../../../contracts/parsed-document.ts';
import { nowhere } from './made.ts';
import type { Rows, Shown } from './row.ts';

/** A place for a file, and the URL by which it is named once it is filled. */
async function placeOf({ invoke }: Shown, bytes: Uint8Array, content_type = 'text/plain'): Promise<{ upload_url: string; url: string }> {
  const { files } = await invoke('maps.documents.upload', { files: [{ id: 'file', size: bytes.byteLength, content_type }] });
  return { upload_url: files[0]!.upload_url, url: files[0]!.svc_url! };
}

/** A file that was sent. */
async function sent(at: Shown, text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const { upload_url, url } = await placeOf(at, bytes);
  expect((await fetch(upload_url, { method: 'PUT', body: bytes, headers: { 'x-amz-server-side-encryption': 'AES256' } })).status).toBe(200);
  return url;
}

/** The last word on a task. */
async function ended({ invoke }: Shown, task_id: string) {
  for (;;) {
    const answer = await invoke('maps.documents.status', { task_id });
    if (answer.status === 'COMPLETED' || answer.status === 'FAILED') return answer;
    await pause(5);
  }
}

const textOf = async (url: string | null | undefined): Promise<string[]> =>
  parsedDocument.parse(await (await fetch(url!)).json()).chunks.map(({ content }) => content);

export const documents = {
  'maps.documents.upload': {
    readBack: 'maps.documents.status',
    async run(at) {
      const file_url = await sent(at, 'A ship in a storm.');
      const { task_id } = await at.invoke('maps.documents.parse', { file_url });
      expect(await textOf((await ended(at, task_id)).result_url)).toEqual(['A ship in a storm.']);
      const huge = { id: 'file', size: 2 ** 40, content_type: 'text/plain' };
      expect(await at.refused(at.invoke('maps.documents.upload', { files: [huge] }))).toBe(422);
    },
  },
  'maps.documents.parse': {
    readBack: 'maps.documents.status',
    async run(at) {
      const { task_id } = await at.invoke('maps.documents.parse', { file_url: await sent(at, 'A cook in a kitchen.') });
      const { status, result_url } = await ended(at, task_id);
      expect(status).toBe('COMPLETED');
      expect(await textOf(result_url)).toEqual(['A cook in a kitchen.']);
      expect(await at.refused(at.invoke('maps.documents.parse', { file_url: `svc://files/${nowhere}` }))).toBe(403);
    },
  },
  'maps.documents.extract': {
    readBack: 'maps.documents.status',
    async run(at) {
      const file_urls = [await sent(at, 'Permit number: 17\n\nOperator: North Quay')];
      const extraction_schema = { type: 'object', properties: { permitNumber: { type: 'integer' }, operator: { type: 'string' } } };
      const { task_id } = await at.invoke('maps.documents.extract', { file_urls, extraction_schema });
      const { result_url } = await ended(at, task_id);
      expect(await (await fetch(result_url!)).json()).toEqual({ permitNumber: 17, operator: 'North Quay' });
      expect(await at.refused(at.invoke('maps.documents.extract', { file_urls, extraction_schema: { type: 'string' } }))).toBe(422);
    },
  },
  'maps.documents.status': {
    readBack: { none: 'a task is seen by its status alone: what it says is held against the result itself' },
    async run(at) {
      const release = await at.hold('task.begun');
      const { task_id } = await at.invoke('maps.documents.parse', { file_url: await sent(at, 'A wheel on a road.') });
      const { status, result_url } = await at.invoke('maps.documents.status', { task_id });
      expect([status, result_url]).toEqual(['BUILDING', undefined]);
      await release();
      expect(await textOf((await ended(at, task_id)).result_url)).toEqual(['A wheel on a road.']);
      expect(await at.refused(at.invoke('maps.documents.status', { task_id: nowhere }))).toBe(404);
    },
  },
  'maps.documents.events': {
    readBack: 'maps.documents.status',
    async run(at) {
      const file_url = await sent(at, 'A lamp on a quay.');
      const { task_id } = await at.invoke('maps.documents.parse', { file_url });
      await ended(at, task_id);
      const { events } = await at.invoke('maps.documents.events', {});
      expect(events[0]).toEqual({ task_id, task_type: 'parse', metadata: { file_url, status: 'COMPLETED' } });
      expect((await at.invoke('maps.documents.status', { task_id: events[0]!.task_id })).status).toBe('COMPLETED');
      expect(await at.refused(at.withKey('none')('maps.documents.events', {}))).toBe(401);
    },
  },
  'maps.documents.cancel': {
    readBack: 'maps.documents.status',
    async run(at) {
      const release = await at.hold('task.begun');
      const { task_id } = await at.invoke('maps.documents.parse', { file_url: await sent(at, 'Bread.') });
      await at.invoke('maps.documents.cancel', { task_id });
      await release();
      expect(await ended(at, task_id)).toMatchObject({ status: 'FAILED', error: 'cancelled' });
      expect(await at.refused(at.invoke('maps.documents.cancel', { task_id: nowhere }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
