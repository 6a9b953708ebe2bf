import pLimit from 'p-limit';
import type { Apis } from '../contracts/index.ts';
import type { Client } from './client.ts';
import { ApiError } from './errors.ts';
import { inBatches } from './in-batches.ts';

/** Reads in flight at a time, of one caller. */
const readsAtOnce = 3;

/** Where rows are looked up; `size`: ids of one read at most. */
export type RowsOf = { maps: Pick<Client<Apis['maps']>, 'data'>; project: string; idField: string; size: number; signal: AbortSignal };

/**
 * The rows that a dataset holds among these ids, by id. A service may leave an unknown id out, or refuse the read that names
 * it; where its answer names them they are left out, else the batch is halved until the unknown ones stand alone.
 */
export async function rowsWithIds(
  { maps, project, idField, size, signal }: RowsOf,
  ids: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  const known = new Map<string, Record<string, unknown>>();
  const read = async (batch: string[]): Promise<void> => {
    if (batch.length === 0) return;
    try {
      const { datums } = await maps.data.get({ project_id: project, datum_ids: batch }, { signal });
      for (const row of datums) known.set(String(row[idField]), row);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      const named = new Set(namedIds(error.body));
      const rest = batch.filter((id) => !named.has(id));
      if (rest.length < batch.length) return read(rest);
      if (batch.length === 1) return;
      const middle = batch.length >> 1;
      await read(batch.slice(0, middle));
      await read(batch.slice(middle));
    }
  };
  const batches = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
  await pLimit(readsAtOnce).map(batches, (batch) => inBatches(batch, size, read));
  return known;
}

/** Every word of the answer, and every member of a list in it, is a candidate: only ids of the batch are compared with them. */
function namedIds(body: string): string[] {
  const words = body.split(/[\s,;"'[\]{}]+/).flatMap((word) => [word, word.replace(/[.:]$/, '')]);
  const members = body.slice(body.lastIndexOf(': ') + 2).split(/, |"/);
  return [...words, ...members];
}
