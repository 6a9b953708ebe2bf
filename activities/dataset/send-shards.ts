import { readFile } from 'node:fs/promises';
import { idsFileOf, readIds } from '../../child/ids-files.ts';
import type { Counts } from '../../pipelines/phases.ts';
import { countOf } from '../../store/parquet-page.ts';
import type { StepContext } from '../frame/context.ts';
import { inBatches, isTooMuch } from '../frame/in-batches.ts';
import { addMissing, knowsSome } from './add-missing.ts';
import { shardFile, type Shards } from './shards.ts';

type Sent = { request_id?: string; bytes: number };

/** A shard, and the dataset that it is for. */
export type ShardOf = { dataset: string; idField: string; file: string };

/** Adds rows of a shard, all or some; in pieces where the service finds them too many, and without those that are there already. */
export async function addRows(context: StepContext, shard: ShardOf, { ids, all }: { ids: string[]; all: boolean }): Promise<Sent> {
  const { file } = shard;
  let request_id: string | undefined;
  let bytes = 0;
  await inBatches(ids, ids.length, (batch) =>
    addMissing(context, shard, batch, async (missing) => {
      const body = all && missing.length === ids.length ? await readFile(file) : await context.tables.pickRows(file, [...missing]);
      await context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) });
      bytes += body.byteLength;
    }),
  );
  return { bytes, ...(request_id === undefined ? {} : { request_id }) };
}

/** Sends a shard to a dataset that was empty before the step: there is nothing to compare with, and the ledger needs the ids alone. */
export async function sendWhole(dataset: string, state: Shards, index: number, context: StepContext): Promise<Counts> {
  const file = context.store.path(shardFile(context, state, index));
  const items = await readIds(idsFileOf(file));
  const { request_id, bytes } = await sendShard(context, { dataset, idField: state.idField, file });
  const rows = countOf(items);
  context.progress({ done: rows, unit: 'rows', bytes });
  const fate = { status: 'added', attempts: context.attempt, ...(request_id === undefined ? {} : { request_id }) } as const;
  await context.store.fates(context.step, index, [{ items, fate }]);
  return { done: rows, added: rows, bytes };
}

/** Sends a shard as it is, its rows being read only where the service finds it too large or knows some of them. */
async function sendShard(context: StepContext, shard: ShardOf): Promise<Sent> {
  let request_id: string | undefined;
  const body = await readFile(shard.file);
  try {
    await context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) });
    return { bytes: body.byteLength, ...(request_id === undefined ? {} : { request_id }) };
  } catch (error) {
    if (!isTooMuch(error) && !knowsSome(error)) throw error;
    const { ids } = await context.tables.readShard(shard.file);
    return addRows(context, shard, { ids, all: false });
  }
}
