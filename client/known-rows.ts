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
 * it. Where its answer lists them, they are left out. What an answer may name otherwise is read apart, and a batch of which it
 * names nothing is halved, until the unknown ones stand alone: no row counts as absent because its id is a word of a refusal.
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
      const listed = listedIds(error.body, batch);
      if (listed.size > 0) return read(batch.filter((id) => !listed.has(id)));
      if (batch.length === 1) return;
      const words = wordsOf(error.body);
      const named = batch.filter((id) => words.has(id));
      const apart = named.length > 0 && named.length < batch.length;
      await read(apart ? batch.filter((id) => !words.has(id)) : batch.slice(0, batch.length >> 1));
      await read(apart ? named : batch.slice(batch.length >> 1));
    }
  };
  const batches = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
  await pLimit(readsAtOnce).map(batches, (batch) => inBatches(batch, size, read));
  return known;
}

/** What stands between the ids of a list, and before the list. */
const separators = /, |: /;

/**
 * Ids of a batch that an answer lists behind the last ': ' of one of its texts. One that may also be a part of another id of the
 * batch, as 'Covenant' is of 'Alien: Covenant', is not among them.
 */
function listedIds(body: string, batch: readonly string[]): Set<string> {
  const members = new Set(listsIn(body).flatMap((list) => list.split(', ')));
  const parts = new Set(batch.filter((id) => separators.test(id)).flatMap((id) => id.split(separators)));
  return new Set(batch.filter((id) => members.has(id) && !parts.has(id)));
}

/** What stands behind the last ': ' of each text of an answer. One that is no JSON may have been cut: its last member need not be whole. */
function listsIn(body: string): string[] {
  const lists: string[] = [];
  const add = (text: string): void => void (text.includes(': ') && lists.push(text.slice(text.lastIndexOf(': ') + 2)));
  try {
    JSON.parse(body, (_, value: unknown) => (typeof value === 'string' && add(value), value));
  } catch {
    add(body.slice(0, Math.max(0, body.lastIndexOf(', '))));
  }
  return lists;
}

/** Every word of an answer: a service may name ids in any form. */
const wordsOf = (body: string): Set<string> => new Set(body.split(/[\s,;"'[\]{}]+/).flatMap((word) => [word, word.replace(/[.:]$/, '')]));
