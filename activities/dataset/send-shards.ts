import { readFile } from 'node:fs/promises';
import { idsFileOf, readIds } from '../../child/ids-files.ts';
import type { Counts } from '../../pipelines/phases.ts';
import { countOf } from '../../store/parquet-page.ts';
import type { FateGroup } from '../../store/run-store.ts';
import type { StepContext } from '../frame/context.ts';
import { inBatches, isTooMuch } from '../frame/in-batches.ts';
import { shardFile, type Shards } from './shards.ts';

/** Adds rows of a shard, all or some; in pieces where the service finds them too many. */
export async function addRows(
  context: StepContext,
  { file, ids, all }: { file: string; ids: string[]; all: boolean },
): Promise<{ request_id?: string; bytes: number }> {
  let request_id: string | undefined;
  let bytes = 0;
  await inBatches(ids, ids.length, async (batch) => {
    const body = all && batch.length === ids.length ? await readFile(file) : await context.tables.pickRows(file, batch);
    await context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) });
    bytes += body.byteLength;
  });
  return { bytes, ...(request_id === undefined ? {} : { request_id }) };
}

/** The shards of a chunk, where the dataset was empty before the step: there is nothing to compare with, and the ledger needs the ids alone. */
export async function sendWhole(state: Shards, index: number, context: StepContext): Promise<Counts> {
  const groups: FateGroup[] = [];
  let rows = 0;
  let bytes = 0;
  const { perChunk, shards } = state;
  for (let shard = index * perChunk; shard < Math.min(shards, (index + 1) * perChunk); shard++) {
    const file = context.store.path(shardFile(context, state, shard));
    const items = await readIds(idsFileOf(file));
    const { request_id, bytes: sent } = await sendShard(context, file);
    rows += countOf(items);
    bytes += sent;
    groups.push({ items, fate: { status: 'added', attempts: context.attempt, ...(request_id === undefined ? {} : { request_id }) } });
    context.progress({ done: rows, unit: 'rows', bytes });
  }
  await context.store.fates(context.step, index, groups);
  return { done: rows, added: rows, bytes };
}

/** Sends a shard as it is; where the service finds it too large, in pieces. */
async function sendShard(context: StepContext, file: string): Promise<{ request_id?: string; bytes: number }> {
  let request_id: string | undefined;
  const body = await readFile(file);
  try {
    await context.maps.data.addArrow({ body }, { signal: context.signal, onAnswer: ({ requestId }) => (request_id = requestId) });
    return { bytes: body.byteLength, ...(request_id === undefined ? {} : { request_id }) };
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    const { ids } = await context.tables.readShard(file);
    return addRows(context, { file, ids, all: false });
  }
}
