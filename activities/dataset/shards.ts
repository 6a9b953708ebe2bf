import { join } from 'node:path';
import type { StepContext } from '../frame/context.ts';
import type { ReadTo } from './watermark.ts';

/** What the chunks of an append have in common. */
export type Shards = {
  idField: string;
  /** Rows that the dataset held before the first write of this step. */
  before: number;
  /** The dataset was new: there is nothing to compare with. */
  whole: boolean;
  rows: number;
  rejected: number;
  columns: string[];
  /** Attempt whose shards are sent. */
  folder: string;
  /** A shard is a chunk. */
  shards: number;
  /** With `since`: how far the source was read. */
  since?: ReadTo;
};

/** Decided before a shard is sent and kept: a repeat after a crash must not count its own rows as present. */
export type ShardComparison = { missing: string[] | 'all'; present: number; changed: string[] };

/** A file beside the rows of a shard, in the run store. */
export const shardFile = (context: StepContext, { folder }: Shards, index: number, ending = 'arrow'): string =>
  join('rows', context.step, folder, `shard-${String(index).padStart(5, '0')}.${ending}`);

/** The plan of a shard: the one that an earlier attempt kept, or the one that is decided now. */
export async function keptComparison(context: StepContext, name: string, decide: () => Promise<ShardComparison>): Promise<ShardComparison> {
  const kept = await context.store.readJson<ShardComparison>(name);
  if (kept) return kept;
  return context.store.keepJson(name, await decide());
}
