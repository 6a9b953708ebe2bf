import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError } from '../../client/errors.ts';
import { BadInput } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import type { AgentItem } from './items.ts';

/** Files of an item at the service, by their slots; undefined while one of them is not ready. */
export type ReadyFiles = { slot: string | null; id: string }[];

const statusOf = async (context: StepContext, id: string): Promise<string> => {
  try {
    return (await context.invoke('instance.files.status', { id }, { signal: context.signal })).status;
  } catch (error) {
    // The temporary folder has discarded it.
    if (error instanceof ApiError && error.status === 404) return 'gone';
    throw error;
  }
};

/** Uploads a file where this store knows none of its bytes and name at this service. `mark`: makes its name the item's own. */
async function uploaded(path: string, mark: string | undefined, context: StepContext): Promise<{ id: string; status: string }> {
  const { signal } = context;
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new BadInput('bad_input', `${path}: cannot be read (${error.code ?? error.message})`);
  });
  const name = mark === undefined ? basename(path) : `${mark}-${basename(path)}`;
  const { url } = context.connection('instance');
  const key = `agent-file ${url} ${createHash('sha256').update(bytes).digest('hex')} ${name}`;
  const known = await context.store.recall<{ id: string }>(key);
  const status = known && (await statusOf(context, known.id));
  if (known && status !== 'gone' && status !== 'failed') return { id: known.id, status: status! };
  const folder = await context.invoke('instance.files.tempFolder', {}, { signal });
  const file = new File([await openAsBlob(path)], name);
  const made = await context.invoke('instance.files.upload', { file, parentId: folder.id }, { signal });
  await context.store.remember(key, { id: made.id });
  return { id: made.id, status: made.status ?? (await statusOf(context, made.id)) };
}

/**
 * The files of an item, each uploaded once for all items and runs of this store. Those of a workflow's slots are the item's own: by them its launch
 * is found again. Fails where a file was uploaded and its ingest failed.
 */
export async function readyFiles({ files, mark }: AgentItem, context: StepContext): Promise<ReadyFiles | undefined> {
  const ready: ReadyFiles = [];
  let waits = false;
  for (const { slot, path } of files) {
    const { id, status } = await uploaded(path, slot === null ? undefined : mark, context);
    if (status === 'failed') throw new BadInput('bad_input', `${path}: the service could not take it in`);
    waits ||= status !== 'ready';
    ready.push({ slot, id });
  }
  return waits ? undefined : ready;
}
