/** Fate of one item in one step; one row of the ledger. */
export type ItemRecord = {
  item: string;
  status: 'added' | 'present' | 'changed' | 'rejected' | 'tagged' | 'untagged' | 'missing';
  reason?: string;
  attempts: number;
  request_id?: string;
};

/** One happening worth telling afterwards: a wait, a retry, a reconcile. One line of `events/*.jsonl`. */
export type RunEvent = {
  at: string;
  step: string;
  kind: 'wait' | 'retry' | 'reconcile' | 'note' | 'failure';
  cause: string;
  ms?: number;
  operation?: string;
  limit?: string;
  request_id?: string;
};

/** Directory of one run. Layout: docs/run-store.md. */
export type RunStore = {
  /** Absolute path of a file or folder of this run; the folder above it is made. */
  path(...parts: string[]): string;
  /** Writes the ledger rows of one chunk of a step whole (temp, fsync, rename); the same chunk again replaces them. */
  items(step: string, chunk: number, records: ItemRecord[]): Promise<void>;
  /** Reads the ledger. */
  readItems(filter?: { step?: string; status?: string; limit?: number }): Promise<(ItemRecord & { step: string })[]>;
  /** Count by step and status. */
  countItems(): Promise<{ step: string; status: string; count: number }[]>;
  /** Saves an id list and answers its reference. */
  writeIds(name: string, ids: AsyncIterable<string[]> | Iterable<string[]>): Promise<{ uri: string; count: number }>;
  /** Ids `from` to `to` of a list. */
  readIds(uri: string, from: number, to: number): Promise<string[]>;
  event(event: Omit<RunEvent, 'at'>): Promise<void>;
  events(): Promise<RunEvent[]>;
  /** What an earlier run acknowledged under this key, in this store; undefined when nothing is known. */
  recall<T>(key: string): Promise<T | undefined>;
  remember(key: string, value: unknown): Promise<void>;
  writeJson(name: string, value: unknown): Promise<void>;
  readJson<T>(name: string): Promise<T | undefined>;
};
