import { BadInput } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import type { AgentItem } from './items.ts';
import { uploaded } from './upload.ts';

/** Files of an item at the service, by their slots; undefined while one of them is not ready. */
export type ReadyFiles = { slot: string | null; id: string }[];

/**
 * The files of an item, each uploaded once for all items and runs of this store. Those of a workflow's slots are the item's own: by them its launch
 * is found again. Fails where a file was uploaded and its ingest failed.
 */
export async function readyFiles({ files, mark }: AgentItem, context: StepContext): Promise<ReadyFiles | undefined> {
  const ready: ReadyFiles = [];
  let waits = false;
  for (const file of files) {
    const { slot, path } = file;
    const { id, status } = await uploaded(file, slot === null ? undefined : mark, context);
    if (status === 'failed') throw new BadInput('bad_input', `${path}: the service could not take it in`);
    waits ||= status !== 'ready';
    ready.push({ slot, id });
  }
  return waits ? undefined : ready;
}
