import type { SourceFacts } from '../pipelines/step.ts';
import type { ShardRequest, ShardResult, ShardRows, Verdict } from './tables.ts';

/** What the child does, by method: arguments and result cross the process boundary by structured clone. */
export type Methods = {
  inspect: { input: { path: string }; output: SourceFacts };
  checkColumns: { input: { path: string; columns: Record<string, string> }; output: { column: string; message: string }[] };
  shard: { input: ShardRequest; output: ShardResult };
  readShard: { input: { file: string }; output: ShardRows };
  pickRows: { input: { file: string; ids: string[] }; output: Uint8Array };
};

export type Method = keyof Methods;

export type ChildRequest = { [M in Method]: { id: number; method: M; input: Methods[M]['input'] } }[Method];

export type ChildReply =
  /** The request has been read: from here on an end of the child is its doing. */
  | { id: number; kind: 'started' }
  | { id: number; kind: 'progress'; rows: number }
  | { id: number; kind: 'value'; value: unknown }
  | { id: number; kind: 'verdict'; verdict: Verdict; message: string }
  /** Not the input's fault: a full disk, a defect. */
  | { id: number; kind: 'error'; message: string };

/** Settings of a child, handed over as one JSON argument. */
export type ChildSettings = { tempDir: string; memoryMb: number };

/** What a method is given in the child. */
export type ChildContext = ChildSettings & { progress(rows: number): void };
