import { availableParallelism } from 'node:os';
import { arrowLimits } from '../arrow/arrow-limits.ts';

/** What one table may take. `doctor` prints these; nothing else restates them. */
export const childLimits = {
  /** Children at once: so many tables are opened side by side. */
  children: Math.min(2, availableParallelism()),
  /** Most resident memory of one child, in MiB. */
  memoryMb: 1_024,
  /** DuckDB's buffers get this part of it and spill beyond. */
  engineShare: 1 / 3,
  /** JavaScript heap of one child, in MiB. */
  heapMb: 512,
  /** Temporary files of one request, in GiB; what its packed files are unpacked to, as much again. */
  tempGiB: 8,
  /** Time of one request in seconds, and what the size of its files adds. */
  seconds: 60,
  secondsPer50MiB: 10,
  /** Rows made are time earned, in ms for each: a small file may hold many, and work that goes on is not a hang. */
  msPerRow: 0.05,
  /** A child that has not begun to read by then does not start. */
  startSeconds: 30,
  /** A child is replaced after this many requests: what a library leaks does not grow for ever. */
  requestsPerChild: 200,
  /** A child without work is ended after this time. */
  idleSeconds: 30,
  /** Most bytes of one Parquet or Arrow file once decompressed, in GiB. */
  decodedGiB: 8,
  /** Longest buffer of an Arrow record batch once decompressed, in MiB. */
  arrowBufferMiB: arrowLimits.bufferMiB,
  /** Longest schema or footer of an Arrow or Parquet file that is looked at, in MiB. */
  schemaMiB: arrowLimits.metadataMiB,
  /** Most rows of one table: a few bytes can claim any number of them. */
  rows: 250_000_000,
  /** Deepest nesting of JSON text. */
  jsonDepth: 512,
} as const;

/** Time for so many bytes of files, in milliseconds. */
export const bytesMs = (bytes: number): number => (bytes / (50 * 1024 * 1024)) * childLimits.secondsPer50MiB * 1_000;

/** Time of one request over files of so many bytes, in milliseconds. */
export const requestMs = (bytes: number, seconds: number = childLimits.seconds): number => seconds * 1_000 + bytesMs(bytes);
