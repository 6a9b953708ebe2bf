import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, UrlsExpired } from '../../client/errors.ts';
import { TooLong } from '../../client/answer-body.ts';
import { parsedDocument } from '../../contracts/parsed-document.ts';
import type { ParseSettings } from '../../pipelines/steps/documents/parse.ts';
import { exclusively } from '../../store/exclusive.ts';
import { hadNoEffect } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { chunksOf } from './chunk-rows.ts';
import type { DocumentMemory, Known } from './known.ts';
import type { DocumentFile } from './named-files.ts';

/** A document by its bytes: all files that hold them. `unreadable`: why there are none. */
export type Document = { sha256: string; bytes: number; files: DocumentFile[]; unreadable?: string };

/** What is read of a result at most. */
const mostResultBytes = 256 * 1024 * 1024;

/** How long an attempt asks for a document that is being read, and how often; then it makes room for others. */
const patience = { lookMs: 300, looks: 30 };

const types: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
};

/** The service is still reading it. */
export const stillReading = 'still reading';

export type DocumentWork = { context: StepContext; memory: DocumentMemory; options: ParseSettings; again: boolean };

/** Reads one document, unless it is known: sends it once, waits for its task, and keeps its chunks. */
export async function readDocument(work: DocumentWork, document: Document): Promise<{ known: Known; sent: boolean } | typeof stillReading> {
  const { memory, again } = work;
  if (document.unreadable !== undefined) return { known: { is: 'failed', reason: document.unreadable }, sent: true };
  const known = await lookedUp(work, document, await memory.of(document.sha256));
  // An earlier attempt of this run has sent it.
  const own = known.is !== 'new' && known.is !== 'task' && known.run === work.context.run.id;
  if (known.is === 'parsed' || (known.is === 'failed' && own)) return { known, sent: own };
  // Also with `again` once in a run: where no answer was seen, each further attempt would pay once more.
  if ((known.is === 'failed' || known.is === 'begun') && (own || !again)) return { known, sent: false };
  const task = known.is === 'task' ? known.task : await send(work, document, known);
  const ended = typeof task === 'string' ? await follow(work, document, task) : task;
  if (ended === stillReading) return ended;
  const by = 'run' in ended ? ended.run : undefined;
  return { known: ended, sent: by === undefined ? ended.is !== 'parsed' : by === work.context.run.id };
}

/**
 * What was about to be sent and has no answer is looked for among the tasks that the service lists, by the name that the file had: a new
 * one for each sending. The API does not say what the list holds, so that none was begun follows from nothing.
 */
async function lookedUp({ context, memory }: DocumentWork, { sha256 }: Document, known: Known): Promise<Known> {
  if (known.is !== 'begun' || known.file === undefined) return known;
  const { events } = await context.maps.documents.events({}, { signal: context.signal }).catch((error: unknown) => {
    context.signal.throwIfAborted();
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) return { events: [] };
    throw error;
  });
  const event = events.find(({ metadata }) => Object.values(metadata ?? {}).includes(known.file));
  if (!event) return known;
  const found: Known = { is: 'task', task: event.task_id };
  await memory.set(sha256, found);
  return found;
}

/** The task that the service has begun, or why it takes no such document. `before`: what was known of it. */
async function send(work: DocumentWork, document: Document, before: Known): Promise<string | Known> {
  const { context, memory } = work;
  const fail = async (reason: string): Promise<Known> => {
    const failed: Known = { is: 'failed', reason, run: context.run.id };
    await memory.set(document.sha256, failed);
    return failed;
  };
  const [{ path, name }] = document.files as [Document['files'][number]];
  if (document.bytes === 0) return fail('the file is empty');
  const bytes = await readFile(path);
  if (createHash('sha256').update(bytes).digest('hex') !== document.sha256)
    return { is: 'failed', reason: 'the file changed since the run began: run again' };
  let file: string;
  try {
    file = await upload(context, name, bytes);
  } catch (error) {
    if (error instanceof ApiError && [400, 413, 415, 422].includes(error.status)) return fail(error.message);
    throw error;
  }
  return exclusively(context.store, memory.exclusive(document.sha256), context, async () => {
    // Another run, or a turn beside this one, may have come to the same bytes while they were uploaded.
    const meanwhile = await lookedUp(work, document, await changedSince(before, memory, document));
    if (meanwhile.is === 'new') return parse(work, document, { file, fail });
    return meanwhile.is === 'task' ? meanwhile.task : meanwhile;
  });
}

/** What became known of a document meanwhile; `new` where it is as it was. */
async function changedSince(before: Known, memory: DocumentMemory, { sha256 }: Document): Promise<Known> {
  const now = await memory.of(sha256);
  return isDeepStrictEqual(now, before) ? { is: 'new' } : now;
}

type Uploaded = { file: string; fail: (reason: string) => Promise<Known> };

/** Orders the task for what was uploaded. */
async function parse(work: DocumentWork, document: Document, { file, fail }: Uploaded): Promise<string | Known> {
  const { context, memory, options } = work;
  // On the disk before it leaves: a repeat is paid for again.
  const begun: Known = { is: 'begun', run: context.run.id, file };
  await memory.set(document.sha256, begun);
  try {
    const { task_id } = await context.maps.documents.parse({ file_url: file, options: toWire(options) }, { signal: context.signal });
    await memory.set(document.sha256, { is: 'task', task: task_id });
    return task_id;
  } catch (error) {
    if (!hadNoEffect(error)) {
      context.signal.throwIfAborted();
      const found = await lookedUp(work, document, begun);
      return found.is === 'task' ? found.task : found;
    }
    await memory.set(document.sha256, { is: 'new' });
    if (error instanceof ApiError && [400, 413, 415, 422].includes(error.status)) return fail(error.message);
    throw error;
  }
}

const toWire = ({ mode, language, tableSummary, figureSummary }: ParseSettings) => ({
  content_extraction_mode: mode,
  ocr_language: language,
  table_summary: { enabled: tableSummary },
  figure_summary: { enabled: figureSummary },
});

/** Sends the bytes to a place of the service and returns its name. Places whose time is over are asked for anew. */
async function upload(context: StepContext, name: string, bytes: Uint8Array): Promise<string> {
  for (let tries = 1; ; tries++) {
    const content_type = types[extname(name).toLowerCase()] ?? 'application/octet-stream';
    const { files } = await context.maps.documents.upload(
      { files: [{ id: name.slice(-200), size: bytes.byteLength, content_type }] },
      { signal: context.signal },
    );
    const [place] = files;
    if (!place) throw new Error('maps.documents.upload answered without a place for the file');
    // Services call the field otherwise: the one that is no address of the web names the file.
    const [, named] =
      Object.entries(place).find(([field, value]) => field.endsWith('_url') && typeof value === 'string' && !/^https?:/.test(value)) ?? [];
    try {
      await context.documentFiles().put(place.upload_url, bytes);
      return typeof named === 'string' ? named : place.upload_url;
    } catch (error) {
      if (!(error instanceof UrlsExpired) || tries === 3) throw error;
    }
  }
}

/** Asks for a task until it has ended, and fetches its result at once: its URL is good for a while only, and each answer has a new one. */
async function follow({ context, memory }: DocumentWork, { sha256 }: Document, task: string): Promise<Known | typeof stillReading> {
  const end = async (known: Extract<Known, { is: 'parsed' | 'failed' }>): Promise<Known> => {
    const ended: Known = { ...known, run: context.run.id };
    await memory.set(sha256, ended);
    return ended;
  };
  let expired = 0;
  for (let look = 1; look <= patience.looks; look++) {
    const answer = await context.maps.documents.status({ task_id: task }, { signal: context.signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
    if (answer === undefined) return end({ is: 'failed', reason: 'the service knows the task no more, and its result was not fetched' });
    if (answer.status === 'FAILED') {
      const why = [answer.verdict, answer.error].filter(Boolean).join(': ');
      return end({ is: 'failed', reason: why === '' ? 'the service does not say why' : why });
    }
    if (answer.status === 'COMPLETED' && answer.result_url) {
      try {
        const { result: wrapped, ...bare } = JSON.parse(
          new TextDecoder().decode(await context.documentFiles().get(answer.result_url, mostResultBytes)),
        ) as {
          result?: object;
        };
        const document = parsedDocument.safeParse(wrapped ?? bare);
        if (!document.success)
          return await end({ is: 'failed', reason: `the result is none that can be read: ${document.error.issues[0]?.message}` });
        return await end({ is: 'parsed', pages: document.data.pages?.length ?? null, chunks: chunksOf(document.data.chunks) });
      } catch (error) {
        if (error instanceof TooLong) return end({ is: 'failed', reason: `its result: ${error.message}` });
        if (!(error instanceof UrlsExpired) || ++expired === 3) throw error;
        continue;
      }
    }
    await sleep(patience.lookMs, undefined, { signal: context.signal });
  }
  return stillReading;
}
