import { readFile } from 'node:fs/promises';
import { firstTexts, idsFileOf, readIds } from '../../child/ids-files.ts';
import type { Counts } from '../../pipelines/phases.ts';
import { countOf, type EncodedTexts } from '../../store/parquet-page.ts';
import type { FateGroup } from '../../store/run-store.ts';
import type { StepContext } from '../frame/context.ts';
import { inBatches, isTooMuch } from '../../client/in-batches.ts';
import { addMissing, knowsSome, type ShardOf } from './add-missing.ts';
import { shardFile, type Shards } from './shards.ts';

/**
 * Adds rows of a shard, all or some; in pieces where the service finds them too many, and without those that are there already.
 * Returns how many bytes it sent. `refusal`: what a call with all of them was refused with already; it is not repeated.
 */
export async function addRows(
  context: StepContext,
  shard: ShardOf,
  { ids, all, refusal }: { ids: string[]; all: boolean; refusal?: unknown },
): Promise<number> {
  const { file } = shard;
  let bytes = 0;
  const send = async (missing: readonly string[]): Promise<string | undefined> => {
    const body = all && missing.length === ids.length ? await readFile(file) : await context.tables.pickRows(file, [...missing]);
    const id = await sendRows(context, body, () => missing);
    bytes += body.byteLength;
    return id;
  };
  await inBatches(ids, ids.length, async (batch) => {
    let request_id: string | undefined;
    const refused = batch.length === ids.length ? refusal : undefined;
    await addMissing(context, shard, batch, async (missing) => void (request_id = await send(missing)), refused);
    context.fates([{ items: batch, fate: addedBy(context, request_id) }]);
  });
  return bytes;
}

const addedBy = ({ attempt }: StepContext, request_id: string | undefined): FateGroup['fate'] => ({
  status: 'added',
  attempts: attempt,
  ...(request_id === undefined ? {} : { request_id }),
});

/** Sends rows and returns the id of the request. `ids`: of the rows. */
async function sendRows(context: StepContext, body: Uint8Array, ids: () => readonly string[]): Promise<string | undefined> {
  let request_id: string | undefined;
  await context.sending(ids, () =>
    context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) }),
  );
  return request_id;
}

/** Sends a shard to a dataset that was empty before the step: there is nothing to compare with, and the ledger needs the ids alone. */
export async function sendWhole(dataset: string, state: Shards, index: number, context: StepContext): Promise<Counts> {
  const file = context.store.path(shardFile(context, state, index));
  const items = await readIds(idsFileOf(file));
  const bytes = await sendShard(context, { dataset, idField: state.idField, file }, items);
  const rows = countOf(items);
  context.progress({ done: rows, unit: 'rows', bytes });
  return { done: rows, added: rows, bytes };
}

/** Ids of the rows of a shard. */
export const idsOfShard = async (state: Shards, index: number, context: StepContext): Promise<readonly string[]> =>
  firstTexts(await readIds(idsFileOf(context.store.path(shardFile(context, state, index)))), Infinity);

/** Sends a shard as it is, its rows being read only where the service finds it too large or knows some of them. */
async function sendShard(context: StepContext, shard: ShardOf, items: EncodedTexts): Promise<number> {
  const body = await readFile(shard.file);
  try {
    const request_id = await sendRows(context, body, () => firstTexts(items, Infinity));
    context.fates([{ items, fate: addedBy(context, request_id) }]);
    return body.byteLength;
  } catch (error) {
    if (!isTooMuch(error) && !knowsSome(error)) throw error;
    const { ids } = await context.tables.readShard(shard.file);
    return addRows(context, shard, { ids, all: false, refusal: error });
  }
}
