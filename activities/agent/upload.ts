import { constants, openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError } from '../../client/errors.ts';
import { BadInput } from '../../errors/classes.ts';
import { fileFacts } from '../../files/file-facts.ts';
import type { StepContext } from '../frame/context.ts';
import { markOf, type ItemFile } from './items.ts';

/** A file at the service. */
export type Uploaded = { id: string; status: string };

const longestName = 255;

/**
 * What a file is called at the service: its own name, behind what no other bytes have. A second upload of one name is the next version of the
 * same file, which whoever was given its id reads from then on. `mark`: makes it the item's own.
 */
const nameOf = (path: string, sha256: string, mark: string | undefined): string => {
  const before = (mark === undefined ? sha256 : markOf(mark, sha256)).slice(0, 12);
  return `${before}-${basename(path).slice(before.length + 1 - longestName)}`;
};

const statusOf = async (context: StepContext, id: string): Promise<string> => {
  try {
    return (await context.invoke('instance.files.status', { id }, { signal: context.signal })).status;
  } catch (error) {
    // The temporary folder has discarded it.
    if (error instanceof ApiError && error.status === 404) return 'gone';
    throw error;
  }
};

/** What is under way in this process, by what it is remembered as. */
const underWay = new Map<string, Promise<unknown>>();

/** One after the other: of items with the same file one uploads it, the others find it remembered. */
async function inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
  const mine = (underWay.get(key) ?? Promise.resolve()).catch(() => undefined).then(act);
  underWay.set(key, mine);
  try {
    return await mine;
  } finally {
    if (underWay.get(key) === mine) underWay.delete(key);
  }
}

/**
 * The file of an item as it was listed, uploaded where this store knows none of its bytes and name at this service. One that the service could
 * not take in is sent once more by each chunk, for what failed may have passed; then it has failed. Fails where it is not that file any more,
 * and has not been uploaded before.
 */
export async function uploaded({ path, sha256 }: ItemFile, mark: string | undefined, context: StepContext): Promise<Uploaded> {
  const { signal, store } = context;
  // Of one that could not be read when it was listed nothing is known, nor uploaded.
  const name = nameOf(path, sha256 ?? '', mark);
  const key = `agent-file ${context.connection('instance').url} ${sha256} ${name}`;
  return inTurn(key, async () => {
    signal.throwIfAborted();
    const intents = context.intents();
    const sent = `upload ${name}`;
    const known = await store.recall<{ id: string }>(key);
    const status = known && (await statusOf(context, known.id));
    const sendsAgain = status === 'gone' || (status === 'failed' && intents.state(sent).is !== 'done');
    if (known && !sendsAgain) return { id: known.id, status: status! };
    const folder = await context.invoke('instance.files.tempFolder', {}, { signal });
    const file = new File([await bytesOf({ path, sha256 })], name);
    const made = await context.invoke('instance.files.upload', { file, parentId: folder.id }, { signal });
    await store.remember(key, { id: made.id });
    intents.done(sent, made.id);
    return { id: made.id, status: made.status ?? (await statusOf(context, made.id)) };
  });
}

/** Opened before it is compared: what changes from then on fails to be read. */
async function bytesOf({ path, sha256 }: Pick<ItemFile, 'path' | 'sha256'>): Promise<Blob> {
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new BadInput('bad_input', `${path}: cannot be read (${error.code ?? error.message})`);
  });
  const blob = await openAsBlob(path);
  if ((await fileFacts(path)).sha256 !== sha256)
    throw new BadInput('bad_input', `${path}: has changed since the step listed it; portolan rerun reads it as it is then`);
  return blob;
}
