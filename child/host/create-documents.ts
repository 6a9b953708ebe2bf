import { stat } from 'node:fs/promises';
import { childLimits, requestMs } from '../child-limits.ts';
import { documentLimits } from '../document-limits.ts';
import type { Documents } from '../documents.ts';
import { createRequests } from './requests.ts';

export type DocumentsOptions = {
  /** Documents read at once; each takes at most `memoryMb`. @default 1 */
  children?: number;
  /** Most resident memory of a child, in MiB. @default 1536 */
  memoryMb?: number;
  /** Time for one document, in seconds; its pages add to it as they are read. @default 60 */
  seconds?: number;
  /** Time for one document in all, in seconds. @default 3600 */
  mostSeconds?: number;
  /** Folder for temporary files. @default the system's */
  tempDir?: string;
};

/** Documents read in a pool of child processes: what one does to its process ends in a verdict on that document. */
export function createDocuments({
  children = documentLimits.children,
  memoryMb = documentLimits.memoryMb,
  seconds = documentLimits.seconds,
  mostSeconds = documentLimits.mostSeconds,
  tempDir,
}: DocumentsOptions = {}): Documents {
  const { requestsPerChild, idleSeconds, tempGiB } = childLimits;
  const requests = createRequests({ children, memoryMb, requestsPerChild, idleSeconds, tempGiB, tempDir });
  return {
    parse: (request, options) =>
      requests.call('parseDocument', request, {
        ...options,
        subject: 'the document',
        mostMs: mostSeconds * 1_000,
        timeMs: async () => requestMs((await stat(request.file)).size, seconds),
      }),
    close: () => requests.close(),
  };
}
