import { ApiError } from '../../client/errors.ts';
import type { Stack } from '../support/stack.ts';
import { batches } from '../../contracts/maps/batches.ts';

/** Rows of a source as a dataset should hold them: a value by id. */
export type Held = ReadonlyMap<string, number>;

/** What a dataset holds otherwise than it should. */
export type Unlike = {
  /** Ids of the source that are not there. */
  missing: number;
  /** Ids that are there with another value. */
  other: number;
  /** Rows of the dataset beyond those of the source: doubles, and rows that are gone at the source. */
  more: number;
};

/** Compares a dataset with a source by the API alone: its count, and every row by its `key` with the value in `n`. */
export async function unlike({ api }: Pick<Stack, 'api'>, project_id: string, source: Held): Promise<Unlike> {
  const ids = [...source.keys()];
  const found = new Map<string, unknown>();
  for (let at = 0; at < ids.length; at += batches.ids.most) {
    for (const { key, n } of await rowsOf(api, project_id, ids.slice(at, at + batches.ids.most))) found.set(String(key), n);
  }
  const { total_datums_in_project: total } = await api.projects.get({ project_id });
  const other = [...found].filter(([key, n]) => Number(n) !== source.get(key)).length;
  return { missing: source.size - found.size, other, more: total - found.size };
}

/** Rows that are there: a read with an id that is not is refused as a whole, and asked for again in halves. */
async function rowsOf(api: Stack['api'], project_id: string, datum_ids: string[]): Promise<Record<string, unknown>[]> {
  try {
    return (await api.data.get({ project_id, datum_ids })).datums;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    if (datum_ids.length === 1) return [];
    const half = datum_ids.length / 2;
    return [...(await rowsOf(api, project_id, datum_ids.slice(0, half))), ...(await rowsOf(api, project_id, datum_ids.slice(half)))];
  }
}

export const sameRows = ({ missing, other, more }: Unlike): boolean => missing === 0 && other === 0 && more === 0;

export const shownUnlike = ({ missing, other, more }: Unlike): string => `missing ${missing}, other ${other}, more ${more}`;
