import type { RunStore } from '../../store/run-store.ts';

/** Ids of a list that one chunk of a sweep is for: `perChunk` each, and the last one those that are left. */
export const idsOfChunk = (
  store: Pick<RunStore, 'readIds'>,
  { uri, count }: { uri: string; count: number },
  perChunk: number,
  index: number,
): Promise<string[]> => store.readIds(uri, index * perChunk, Math.min(count, (index + 1) * perChunk));
