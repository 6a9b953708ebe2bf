import type { Described, ImageSource, Shrunk } from './images.ts';
import type { Preview } from './preview.ts';
import type {
  SqlRefusal,
  ArrowFileRequest,
  ArrowFileResult,
  CheckedColumns,
  NamedMark,
  FileDigests,
  FilePrint,
  ListedRows,
  ListRowsRequest,
  Measured,
  MeasureRequest,
  ShardRequest,
  ShardResult,
  ShardRows,
  UnpackRequest,
  UnpackResult,
} from './tables.ts';
import type { ParseRequest, ParseResult } from './documents.ts';
import type { SourceFacts, SourceSpec } from '../pipelines/source-spec.ts';
import type { Resource, Verdict } from '../errors/classes.ts';

/** What the child does, by method: arguments and result cross the process boundary by structured clone. */
export type Methods = {
  /** Loads the code of the methods that open tables. */
  warm: { input: null; output: void };
  inspect: { input: { source: SourceSpec; mayBeEmpty?: boolean }; output: SourceFacts };
  checkColumns: {
    input: { source: SourceSpec; columns: Record<string, string> | undefined; id?: string; since?: NamedMark };
    output: CheckedColumns;
  };
  checkSql: { input: { sql: string; tables: string[] }; output: SqlRefusal[] };
  measure: { input: MeasureRequest; output: Measured };
  preview: { input: { source: SourceSpec; rows: number }; output: Preview };
  shard: { input: ShardRequest; output: ShardResult };
  arrowFile: { input: ArrowFileRequest; output: ArrowFileResult };
  digestParts: { input: { print: FilePrint; partSize: number }; output: FileDigests };
  listRows: { input: ListRowsRequest; output: ListedRows };
  readShard: { input: { file: string }; output: ShardRows };
  unpackArrow: { input: UnpackRequest; output: UnpackResult };
  pickRows: { input: { file: string; ids: string[] }; output: Uint8Array };
  describeImage: { input: { name: string; image: ImageSource }; output: Described };
  shrinkImage: { input: { name: string; image: ImageSource; side: number }; output: Shrunk };
  parseDocument: { input: ParseRequest; output: ParseResult };
};

export type Method = keyof Methods;

export type ChildRequest = { [M in Method]: { id: number; method: M; input: Methods[M]['input'] } }[Method];

export type ChildReply =
  /** The request has been read: from here on an end of the child is its doing. */
  | { id: number; kind: 'started' }
  | { id: number; kind: 'progress'; rows: number; note?: string }
  /** So many more bytes of packed files stand unpacked: they are read like those of other files. */
  | { id: number; kind: 'unpacked'; bytes: number }
  /** Work is done that had so much time coming to it: a document's time grows with its pages. */
  | { id: number; kind: 'earned'; ms: number }
  | { id: number; kind: 'value'; value: unknown }
  | { id: number; kind: 'verdict'; verdict: Verdict; message: string }
  /** Something of the host is short: no verdict on the input. */
  | { id: number; kind: 'unavailable'; resource: Resource; message: string }
  /** Not the input's fault: a full disk, a defect. */
  | { id: number; kind: 'error'; message: string };

/**
 * Settings of a child, handed over as one JSON argument: `memoryMb` for DuckDB's buffers, `residentBytes` for the whole process,
 * `tempGiB` for the temporary files of one request, and as much again for what its packed files hold.
 */
export type ChildSettings = { tempDir: string; memoryMb: number; residentBytes: number; tempGiB: number };

/** What a method is given in the child. */
export type ChildContext = ChildSettings & {
  progress(rows: number, note?: string): void;
  unpacked(bytes: number): void;
  earned(ms: number): void;
};
