import type { EncodedTexts } from './parquet-page.ts';

/** How items of built-in steps end; own sweeps have words of their own. */
export const fates = [
  'added',
  'uploaded',
  'present',
  'changed',
  'replaced',
  'deleted',
  'rejected',
  'tagged',
  'untagged',
  'missing',
  'done',
  'failed',
  'unknown',
  'parsed',
  'applied',
  'stopped',
  'stalled',
  'capped',
  'spent',
  'running',
] as const;

/** Fate of one item in one step; one row of the ledger. */
export type ItemRecord = {
  item: string;
  status: (typeof fates)[number] | (string & {});
  reason?: string | null;
  attempts: number;
  request_id?: string | null;
};

/**
 * What is worth knowing of a run afterwards: one line of `events/*.jsonl`. `chunk`: a chunk of a sweep is done (after a
 * kill the same one may stand twice); `code`: a worker's code of a step was not the one that the plan names; `calls`: what an attempt
 * has sent since the line before; `alert`: why an alert could not be sent yet.
 */
export type RunEvent = {
  /** When it happened; of a chunk, when it ended. */
  at: string;
  step: string;
  kind: 'wait' | 'retry' | 'reconcile' | 'note' | 'failure' | 'chunk' | 'code' | 'calls' | 'alert';
  cause: string;
  /** How long a wait will be; how long the last attempt of a chunk took. */
  ms?: number;
  operation?: string;
  limit?: string;
  request_id?: string;
  /** Number of the chunk, its items, and the bytes that it sent where the step counts them. */
  chunk?: number;
  items?: number;
  bytes?: number;
  /** Requests that left, by operation. */
  calls?: Record<string, number>;
  /** Attempt that it was done in. */
  attempt?: number;
};

/** A record as it is read again: what it has not is null. */
export type KeptItem = Required<ItemRecord> & { step: string };

/** Items that ended alike. */
export type FateGroup = { items: readonly string[] | EncodedTexts; fate: Omit<ItemRecord, 'item'> };

/** Hands ids over in batches; waiting for `add` keeps no more in memory than one part of a list. */
export type IdSource = (add: (ids: string[]) => Promise<void>) => Promise<void>;

/** Directory of one run. Layout: docs/run-store.md. */
export type RunStore = {
  /** Absolute path of a file or folder of this run; the folder above it is made. */
  path(...parts: string[]): string;
  /** Writes the ledger rows of one chunk of a step whole (temp, fsync, rename); the same chunk again replaces them. */
  items(step: string, chunk: number, records: ItemRecord[]): Promise<void>;
  /** The same for groups of items that ended alike. */
  fates(step: string, chunk: number, groups: readonly FateGroup[]): Promise<void>;
  /** Reads the ledger. */
  readItems(filter?: { step?: string; loop?: string; chunk?: number; status?: string; limit?: number }): Promise<KeptItem[]>;
  /** Count by step and status. */
  countItems(): Promise<{ step: string; status: string; count: number }[]>;
  /** Saves an id list and returns its reference: from batches, or from a function that adds them. */
  writeIds(name: string, ids: Iterable<string[]> | IdSource): Promise<{ uri: string; count: number }>;
  /** Ids `from` to `to` of a list. */
  readIds(uri: string, from: number, to: number): Promise<string[]>;
  /** sha256 of the ids of a list in order, a line feed after each; kept when the list was written. */
  hashIds(uri: string): Promise<string>;
  event(event: Omit<RunEvent, 'at'>): Promise<void>;
  events(): Promise<RunEvent[]>;
  /** What an earlier run acknowledged under this key, in this store; undefined when nothing is known. */
  recall<T>(key: string): Promise<T | undefined>;
  remember(key: string, value: unknown): Promise<void>;
  /** `synced: false` for what the history of the run says too. */
  writeJson(name: string, value: unknown, options?: { synced: boolean }): Promise<void>;
  readJson<T>(name: string): Promise<T | undefined>;
  /** Keeps a value under a name unless there is one already, of whichever attempt; returns the one that is kept. */
  keepJson<T>(name: string, value: T): Promise<T>;
};
