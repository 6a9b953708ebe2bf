import type { OwnFetchInit } from '../../../client/own-fetch.ts';
import type { Progress } from '../../../pipelines/phases.ts';
import type { Lent } from './channel.ts';

/** What a thread is started with. */
export type ThreadSettings = {
  /** Absolute path of the file of the step. */
  file: string;
  /** Full names of the operations that its context has methods for. */
  operations: readonly string[];
  /** One cell for each call under way: when the user's code began, on the clock of `process.hrtime`; 0 before. */
  begun: BigInt64Array<SharedArrayBuffer>;
};

/** Calls of the user's code that one thread takes at a time: the most items that a chunk works on. */
export const mostCalls = 256;

/**
 * What every call of the user's code is given beside its input. `scope` names the call in what its code asks for, `cell` is its
 * place in `begun`.
 */
export type CallFacts = { scope: number; cell: number; attempt: number; run: { id: string; pipeline: string } };

/** An item as it is listed: its name, and the item itself as JSON. */
export type ListedItem = { key: string; item: string };

/** What a thread does. Values of the user's code cross as JSON: what cannot be JSON is refused where it was made. */
export type ThreadMethods = {
  /** Resolves when the file is loaded. */
  load: { input: null; output: null };
  run: { input: CallFacts & { input: unknown }; output: string };
  /** What the start of a poll gives. */
  start: { input: CallFacts & { input: unknown }; output: string };
  /** A look at what was started. */
  check: { input: CallFacts & { input: unknown; job: unknown; waitedSeconds: number }; output: string };
  /** Items go out by `list`, in batches of `batch`; it resolves when all are listed. */
  items: { input: CallFacts & { input: unknown; batch: number }; output: null };
  each: { input: CallFacts & { item: string; index: number }; output: string };
  /** Items of an answer, for the code that made the call. */
  onItems: { input: { call: number; items: unknown[] }; output: null };
  onAnswer: { input: { call: number; answer: { requestId: string; status: number; at?: number } }; output: null };
  /** Resolves when the thread's event loop turns. */
  ping: { input: null; output: null };
};

type Scoped<T> = T & { scope: number };

export type SentBody = Uint8Array | Lent;

/** An answer of `context.fetch`; a short body comes with it. */
export type SentResponse = {
  status: number;
  statusText: string;
  url: string;
  headers: [string, string][];
  body: SentBody | null;
};

/** Options of a call of an operation, but for its functions, which are called back by `call`. */
export type SentOptions = { timeoutMs?: number; secret?: string; call?: number; onItems?: true; onAnswer?: true };

/** What the worker does for the code in a thread: whatever reaches out of it. */
export type WorkerMethods = {
  fetch: {
    input: Scoped<{
      url: string;
      init: Omit<OwnFetchInit, 'body' | 'headers' | 'signal'>;
      headers: [string, string][];
      body: SentBody | null;
    }>;
    output: SentResponse;
  };
  secret: { input: Scoped<{ name: string }>; output: string };
  progress: { input: Scoped<{ progress: Progress }>; output: null };
  rows: { input: Scoped<{ results: string }>; output: Lent };
  invoke: { input: Scoped<{ operation: string; input: unknown; options: SentOptions }>; output: unknown };
  pages: { input: Scoped<{ operation: string; input: unknown; options: SentOptions }>; output: Lent };
  list: { input: Scoped<{ items: ListedItem[] }>; output: null };
  /** The code asks for the end of its process, which is that of its thread. */
  exits: { input: { stack: string }; output: null };
};
