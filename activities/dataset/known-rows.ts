import pLimit from 'p-limit';
import { ApiError } from '../../client/errors.ts';
import type { StepContext } from '../frame/context.ts';
import { inBatches } from '../frame/in-batches.ts';

/** Reads in flight at a time, of one chunk. */
const readsAtOnce = 3;

/**
 * The rows that a dataset holds among these ids, by id. A service may leave an unknown id out, or refuse the read that names
 * it; where its answer names them they are left out, else the batch is halved until the unknown ones stand alone.
 */
export async function readKnownRows(
  context: StepContext,
  projectId: string,
  idField: string,
  ids: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  const known = new Map<string, Record<string, unknown>>();
  const read = async (batch: string[]): Promise<void> => {
    if (batch.length === 0) return;
    try {
      const { datums } = await context.maps.data.get({ project_id: projectId, datum_ids: batch }, { signal: context.signal });
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
  const size = context.connection('maps').batch.ids;
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
