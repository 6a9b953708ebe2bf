import { rm } from 'node:fs/promises';
import { isAsked, pathOf } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/source-spec.ts';
import { childLimits, requestMs } from '../child-limits.ts';
import { newFiles } from '../new-files.ts';
import { partialFolder } from '../partial-folder.ts';
import { createRequests } from './requests.ts';
import type { Method, Methods } from '../protocol.ts';
import { sourceBytes, subjectOf } from '../source-files.ts';
import type { Tables } from '../tables.ts';

export type TablesOptions = {
  /** Children at once; each takes at most `memoryMb`. @default 2, or 1 on one core */
  children?: number;
  /** Most resident memory of a child, in MiB; DuckDB gets a third of it and spills beyond. @default 1024 */
  memoryMb?: number;
  /** Time for one request, in seconds; 10 s more for each 50 MiB of the file, and more while rows are being made. @default 60 */
  seconds?: number;
  /** Requests after which a child is replaced. @default 200 */
  requestsPerChild?: number;
  /** A child without work for so many seconds is ended. @default 30 */
  idleSeconds?: number;
  /** Temporary files of one request, in GiB, and what its packed files may hold. @default 8 */
  tempGiB?: number;
  /** Folder for temporary files. @default the system's */
  tempDir?: string;
  /** Ends every request, beside the signal that each may have. */
  signal?: AbortSignal | undefined;
};

type CallOptions = { signal?: AbortSignal | undefined; progress?: ((rows: number, note?: string) => void) | undefined };

/** Tables opened in a pool of child processes. */
export function createTables({
  children = childLimits.children,
  memoryMb = childLimits.memoryMb,
  seconds = childLimits.seconds,
  requestsPerChild = childLimits.requestsPerChild,
  idleSeconds = childLimits.idleSeconds,
  tempGiB = childLimits.tempGiB,
  tempDir,
  signal: over,
}: TablesOptions = {}): Tables {
  const requests = createRequests({ children, memoryMb, requestsPerChild, idleSeconds, tempGiB, tempDir });
  const call = <M extends Method>(
    method: M,
    input: Methods[M]['input'],
    source: SourceSpec,
    options: CallOptions = {},
  ): Promise<Methods[M]['output']> =>
    requests.call(method, input, {
      ...options,
      signal: over && options.signal ? AbortSignal.any([over, options.signal]) : (options.signal ?? over),
      subject: subjectOf(source),
      timeMs: async () => requestMs(await sourceBytes(source), seconds),
    });

  /** A child that was killed leaves what it had written. */
  const whole = <T>(into: string, work: () => Promise<T>): Promise<T> =>
    work().catch(async (error: unknown) => {
      await rm(partialFolder(into), { recursive: true, force: true });
      throw error;
    });

  return {
    warm: () => requests.warm(),
    inspect: (source, { mayBeEmpty = isAsked(source), ...options } = {}) => call('inspect', { source, mayBeEmpty }, source, options),
    checkColumns: (source, columns, id, since) =>
      call('checkColumns', { source, columns, ...(id === undefined ? {} : { id }), ...(since === undefined ? {} : { since }) }, source),
    checkSql: (source) => call('checkSql', { sql: source.sql, tables: Object.keys(source.tables) }, { sql: source.sql, tables: {} }),
    measure: (request, options) => call('measure', request, request.source, options),
    preview: (source, { rows = 20, ...options } = {}) => call('preview', { source, rows }, source, options),
    shard: (request, options) => whole(request.into, () => call('shard', request, request.source, options)),
    arrowFile: (request, options) => whole(request.into, () => call('arrowFile', request, request.source, options)),
    digestParts: (print, partSize, options) => call('digestParts', { print, partSize }, print.file, options),
    newFiles: (source, seen, which) => newFiles(pathOf(source), seen, which),
    listRows: (request, options) => whole(request.into, () => call('listRows', request, request.source, options)),
    readShard: (file) => call('readShard', { file }, file),
    pickRows: (file, ids) => call('pickRows', { file, ids }, file),
    unpackArrow: (request, options) => call('unpackArrow', request, request.file, options),
    close: () => requests.close(),
  };
}
