import type { SourceFacts } from '../pipelines/step.ts';

/** How a table becomes rows of a dataset. */
export type AppendOptions = {
  id: { column: string } | { row: true };
  /** Dataset column → source column name or scalar SQL expression; absent: every column as it is. */
  columns?: Record<string, string>;
};

export type ShardRequest = AppendOptions & {
  source: string;
  /** Folder that gets `shard-00000.arrow`, `shard-00001.arrow` …, `rejects.jsonl`, written whole before the answer. */
  into: string;
  projectId: string;
  /** Name of the dataset's unique id column. */
  idField: string;
  /** Columns of the dataset where its schema is fixed already, else absent. */
  schema?: { name: string; type: ColumnType }[];
  maxRows: number;
  maxBytes: number;
};

/** The four column types of a dataset (maps API, table rules). */
export type ColumnType = 'int32' | 'float32' | 'timestamp' | 'string';

export type ShardResult = {
  shards: { file: string; rows: number; bytes: number }[];
  rows: number;
  sent: number;
  rejected: number;
  /** Source rows by id that occur more than once with an `id: {column}`: the append is refused before the first write. */
  duplicates: { id: string; rows: number[] }[];
  columns: { name: string; type: ColumnType }[];
  rejectsFile: string;
};

/** One row refused, as a line of `rejects.jsonl`; `row` counts from 1. */
export type RejectedRow = { row: number; id: string | null; reason: string };

/** The rows of a shard as plain values, ids first; timestamps as epoch milliseconds, float32 values as float32. */
export type ShardRows = { ids: string[]; rows: Record<string, string | number | null>[] };

/**
 * Tables are opened in a child process with memory and time watchdogs; a bad input ends in a `BadInput`
 * verdict here, never in a dead worker.
 */
export type Tables = {
  /** Size, fingerprint, columns. Fails with `BadInput` where the file is missing, empty or unreadable. */
  inspect(path: string, options?: { signal?: AbortSignal }): Promise<SourceFacts>;
  /** Is each column expression allowed and does it bind to the source's columns. One finding per bad expression. */
  checkColumns(path: string, columns: Record<string, string>): Promise<{ column: string; message: string }[]>;
  /** Source → Arrow shards ready for add/arrow. */
  shard(request: ShardRequest, options?: { signal?: AbortSignal; progress?: (rows: number) => void }): Promise<ShardResult>;
  /** Rows of one shard, to compare with what the service holds. */
  readShard(file: string): Promise<ShardRows>;
  /** A copy of a shard with only the rows of these ids: the bytes of an Arrow IPC file. */
  pickRows(file: string, ids: string[]): Promise<Uint8Array>;
  close(): Promise<void>;
};

export type Verdict = 'bad_input' | 'refused_expression' | 'too_large' | 'timeout' | 'crashed';

/** A verdict on an input: final, never retried. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
  readonly retryable = false;
  readonly verdict: Verdict;
  constructor(verdict: Verdict, message: string) {
    super(message);
    this.verdict = verdict;
  }
}
