import { BadInput } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import type { AgentItem } from './items.ts';
import { uploaded } from './upload.ts';

/** Files of an item at the service, by their slots; undefined while one of them is not ready. */
export type ReadyFiles = { slot: string | null; id: string }[];

/**
 * The files of an item, each uploaded once for all items and runs of this store. Those of a workflow's slots are the item's own: by them its launch
 * is found again. Fails where a file was uploaded and its ingest failed, or has not ended `mostSeconds` after this chunk saw it first.
 */
export async function readyFiles({ files, mark }: AgentItem, mostSeconds: number, context: StepContext): Promise<ReadyFiles | undefined> {
  const ready: ReadyFiles = [];
  let waits = false;
  for (const file of files) {
    const { slot, path } = file;
    const { id, status } = await uploaded(file, slot === null ? undefined : mark, context);
    if (status === 'failed') throw new BadInput('bad_input', `${path}: the service could not take it in`);
    if (status !== 'ready' && Date.now() - firstSeen(id, context) >= mostSeconds * 1_000)
      throw new BadInput(
        'bad_input',
        `${path}: the service has not taken it in for ${mostSeconds} s (stallSeconds); portolan rerun launches its agent once it is ready`,
      );
    waits ||= status !== 'ready';
    ready.push({ slot, id });
  }
  return waits ? undefined : ready;
}

/** When this chunk saw first that a file is not ready, by whichever of its attempts: epoch milliseconds. */
function firstSeen(id: string, context: StepContext): number {
  const intents = context.intents();
  const call = `not ready ${id}`;
  const known = intents.state(call);
  if (known.is === 'done') return known.result as number;
  const now = Date.now();
  intents.done(call, now);
  return now;
}
