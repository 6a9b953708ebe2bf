import type { FileSpec, SourceFacts, SourceSpec, TableFacts } from '../pipelines/source-spec.ts';
import type { IdColumns } from './id-columns.ts';
import type { NewFiles, SeenFiles } from './new-files.ts';
import type { Preview } from './preview.ts';
import type { DataColumn } from './data-column.ts';
import type { Mark } from '../text/mark.ts';

/** How a table becomes rows of a dataset. */
export type AppendOptions = {
  id: { column: string } | { row: true };
  /** Dataset column → source column name or scalar SQL expression; absent: every column as it is. */
  columns?: Record<string, string>;
};

/** Which rows of a source are read: those whose column has come to the mark, less its overlap, and that were not seen there before. */
export type SinceColumn = {
  /** Column of the source, or one that is made of it. */
  column: string;
  /** Absent: every row is read. */
  after?: Mark;
  /** By microseconds of a time, or what a number is greater by. @default 0 */
  overlap?: { kind: 'time' | 'number'; by: number };
  /** A time beyond it moves no mark: its row would hide those that come before it. */
  latest: Mark;
  /** Keys of rows that are left out, one a line. */
  seenFile?: string;
};

/** What a file says of the column by which rows are new. */
export type NamedMark = { column: string; overlap?: 'time' | 'number' };

/** Why rows are not new by it, and which of its fields says so. */
export type WrongMark = { field: keyof NamedMark; message: string };

/** What was read since a mark. */
export type ReadSince = {
  /** Rows of the whole source. */
  of: number;
  /** Rows that were seen before: left out. */
  seen: number;
  /** How far the source goes; null: no row has a value. */
  to: Mark | null;
};

/** Columns of the source that the dataset does not have, and of the dataset that the source does not have. */
export type Drift = { added: string[]; gone: string[] };

export type MeasureRequest = AppendOptions & {
  source: SourceSpec;
  since?: SinceColumn;
  /** What becomes of columns that the dataset does not have, or has and the source not. Absent: those are left out, these refused. */
  drift?: 'fail' | 'ignore';
  /** Names of the files of a glob that are read; absent: all. */
  files?: readonly string[];
  /** A source without rows is one of no rows. @default refused */
  mayBeEmpty?: boolean;
  /** Name of the dataset's unique id column. */
  idField: string;
  /** Columns of the dataset where its schema is fixed already, else absent. */
  schema?: DataColumn[];
  maxRows: number;
  maxBytes: number;
};

/** `columns`: those of the dataset that the rows make, its id left out. */
export type Measured = Omit<TableFacts, 'since'> & { columns: DataColumn[]; since?: ReadSince };

export type ShardRequest = MeasureRequest & {
  /** Folder that gets `shard-00000.arrow` and `shard-00000.ids` …, `rejects.jsonl`, with `since` also `keys`; written whole before the answer. */
  into: string;
  projectId: string;
};

export type ShardResult = {
  /** The source as it was read: its size, and its fingerprint after the last byte. */
  source: { bytes: number; sha256: string };
  /** Where `files` names those that are read: the sha256 of each. */
  files?: { name: string; sha256: string }[];
  shards: { file: string; rows: number; bytes: number }[];
  rows: number;
  sent: number;
  rejected: number;
  /** Source rows by id that occur more than once with an `id: {column}`: the append is refused before the first write. */
  duplicates: { id: string; rows: number[] }[];
  columns: DataColumn[];
  /** Where source and dataset have not the same columns. */
  drift?: Drift;
  rejectsFile: string;
  /** With `since`; `keys`: a file of the keys of rows that the next reading leaves out, one a line. */
  since?: ReadSince & { keys: string };
};

/** A table as one Arrow file. `into` gets `rows.arrow`, unless the source is sent as it is, and the files of the answer. */
export type ArrowFileRequest = ShardRequest & {
  /** The dataset holds no row yet: a file need not say what is to happen to known ids. */
  empty: boolean;
};

export type ArrowFileResult = Omit<ShardResult, 'shards' | 'columns' | 'source' | 'since' | 'files'> & {
  columns: string[];
  /** The file to send, as it was before it was read. */
  print: FilePrint;
  /** Why the source is not sent as it is, and the source as it was read; absent where it is sent as it is. */
  converted?: { because: string; source: ShardResult['source'] };
  /** Files with the ids of the rows that are sent, in order: JSON lists. */
  idsFiles: string[];
};

/** By what a file is recognised as the one that was looked at. */
export type FilePrint = { file: string; bytes: number; mtimeMs: number; ino: number };

/** SHA-256 (hex) of a file; CRC-32 and MD5 (hex) of its parts in their order. */
export type FileDigests = { sha256: string; parts: { crc32: number; md5: string }[] };

/** One row refused, as a line of `rejects.jsonl`; `row` counts from 1. */
export type RejectedRow = { row: number; id: string | null; reason: string };

/** An Arrow file to be unpacked into small uncompressed ones. */
export type UnpackRequest = {
  file: string;
  /** Folder that gets `rows-00000.arrow` …; emptied first. */
  into: string;
  /** Most rows of one file written. */
  maxRows: number;
  /** Most bytes that may be decompressed, and that may be written, in all. */
  maxDecodedBytes: number;
  /** MD5 (hex) of each piece of so many bytes, held against the file first. */
  pieces?: { bytes: number; md5: string[] };
};

export type UnpackResult = { files: { file: string; rows: number }[]; rows: number };

/** The rows of a shard as plain values, ids first; timestamps as epoch milliseconds, float32 values as float32. Vectors are left out. */
export type ShardRows = { ids: string[]; rows: Record<string, string | number | null>[] };

/** The rows of a table as they stand in it, to be worked through one by one. */
export type ListRowsRequest = {
  source: SourceSpec;
  /** Column that names each row, by values that differ; absent: its place, from 0. */
  key?: string | undefined;
  /** Columns whose values are ids, beside the key. */
  ids?: IdColumns;
  /** Folder that gets the parts; written whole before the answer. */
  into: string;
  /** Parts that are made of many rows, and rows of each: at least so many where there are, and at most. */
  parts: number;
  leastRows: number;
  mostRows: number;
};

/** `parts`: JSON lines of name and row, `[name, { … }]`, in the order of the source; `first`: place of the first row, from 0. */
export type ListedRows = { source: ShardResult['source']; rows: number; parts: { file: string; first: number; rows: number }[] };

/** The columns of a source, what becomes of them in a dataset, and one finding for each that cannot be. */
/** `instead`: an expression that fits; `named`: the name that was most likely meant. */
export type WrongColumn = { column: string; message: string; instead?: string; named?: string };

export type CheckedColumns = {
  source: string[];
  columns: DataColumn[];
  findings: WrongColumn[];
  /** There is no row; of a query nobody looks. */
  empty?: true;
  /** A value of the id column that stands in several rows, and how many rows have none; of a large source or a query nobody looks. */
  repeated?: { id: string; rows: number };
  unnamed?: number;
  /** Of a large source or a query nobody looks at the values of the column. */
  wrongMark?: WrongMark;
};

/** Why a query is refused: rule and remedy; `at` is the byte of its text that is meant. */
export type SqlRefusal = { message: string; at?: number };

/**
 * Tables are opened in a child process with memory and time watchdogs; a bad input ends in a `BadInput`
 * verdict here, never in a dead worker.
 */
export type Tables = {
  /** Starts a child that loads the code of tables before it is asked for anything; settles when it is started. */
  warm(): Promise<void>;
  /** Size, fingerprint, columns. Fails with `BadInput` where the file is missing, empty or unreadable. */
  inspect(source: SourceSpec, options?: { signal?: AbortSignal; mayBeEmpty?: boolean }): Promise<SourceFacts>;
  /** Is each column expression allowed and does it bind to the source's columns. One finding per bad expression. */
  checkColumns(source: SourceSpec, columns: Record<string, string> | undefined, id?: string, since?: NamedMark): Promise<CheckedColumns>;
  /** What is wrong with the query of a source, whether or not its files are here: the first thing, or nothing. */
  checkSql(source: { sql: string; tables: { [table: string]: FileSpec } }): Promise<SqlRefusal[]>;
  /** What adding the rows of a source would send. */
  measure(request: MeasureRequest, options?: { signal?: AbortSignal }): Promise<Measured>;
  /** What a table holds and what the type rules of a dataset do to it, with its first rows. */
  preview(source: SourceSpec, options?: { rows?: number; signal?: AbortSignal }): Promise<Preview>;
  /** Source → Arrow shards ready for add/arrow. Progress counts rows gone through, with a word for what is done to them. */
  shard(request: ShardRequest, options?: { signal?: AbortSignal; progress?: (rows: number, note?: string) => void }): Promise<ShardResult>;
  /** Source → one Arrow file for an upload: the source itself where it breaks no rule, else a file made from it. */
  arrowFile(
    request: ArrowFileRequest,
    options?: { signal?: AbortSignal; progress?: (rows: number, note?: string) => void },
  ): Promise<ArrowFileResult>;
  /** Digests of a file and of its parts of so many bytes; `BadInput` where it is not the one of the print any more. */
  digestParts(print: FilePrint, partSize: number, options?: { signal?: AbortSignal }): Promise<FileDigests>;
  /** Source → files of its rows as JSON. */
  listRows(
    request: ListRowsRequest,
    options?: { signal?: AbortSignal; progress?: (rows: number, note?: string) => void },
  ): Promise<ListedRows>;
  /** Files of a source that were not seen; with `changed` also those whose bytes are others now. */
  newFiles(source: FileSpec, seen: SeenFiles, which: 'new' | 'changed', options?: { signal?: AbortSignal }): Promise<NewFiles>;
  /** Rows of one shard, to compare with what the service holds. */
  readShard(file: string): Promise<ShardRows>;
  /** A copy of a shard with only the rows of these ids: the bytes of an Arrow IPC file. */
  pickRows(file: string, ids: string[]): Promise<Uint8Array>;
  /** Arrow file, also with zstd or lz4 buffers, → uncompressed Arrow files of few rows. */
  unpackArrow(request: UnpackRequest, options?: { signal?: AbortSignal; progress?: (rows: number) => void }): Promise<UnpackResult>;
  close(): Promise<void>;
};
