import type { z } from 'zod';
import type { Ask } from '../endpoint.ts';
import { get as rowsOf } from '../maps/data.ts';
import { select } from '../maps/query.ts';
import type { Filter } from '../maps/selection.ts';
import { instant } from '../time.ts';
import type { ReadingOf } from './index.ts';

/** A map that a reading is looked for on: reads alone, of rows that it holds. */
export type ProbedMap = {
  map: string;
  dataset: string;
  idField: string;
  /** Types of its columns, by name. */
  columns: ReadonlyMap<string, string>;
  /** Some of its rows. */
  rows: readonly Readonly<Record<string, unknown>>[];
};

/** Rows looked at: few enough for one read of any service. */
const sampled = 20;

const listOf = (answer: z.output<typeof select.output>) => (Array.isArray(answer) ? answer : answer.data);
const idOf = (member: ReturnType<typeof listOf>[number]): string => String(typeof member === 'object' ? Object.values(member)[0] : member);

/** Ids of the points that match every filter. */
export async function idsOf(ask: Ask, projection_id: string, filters: Filter[], polarity?: false): Promise<string[]> {
  const answer = await ask(select, {
    projection_id,
    selection: { method: 'composition', conjunctor: 'ALL', filters, ...(polarity === false ? { polarity } : {}) },
  });
  return listOf(answer).map(idOf);
}

/** Rows of a map to look at; every point is asked for, because nothing else is sure to name one. */
export async function sampleOf(
  ask: Ask,
  { map, dataset, idField }: Pick<ProbedMap, 'map' | 'dataset' | 'idField'>,
): Promise<ProbedMap['rows']> {
  const ids = await idsOf(ask, map, [{ method: 'category', field: idField, values: [''], polarity: false }]);
  if (ids.length === 0) return [];
  const { datums } = await ask(rowsOf, { project_id: dataset, datum_ids: ids.slice(0, sampled) });
  return datums;
}

const only = ({ idField }: ProbedMap, row: ProbedMap['rows'][number]): Filter => ({
  method: 'category',
  field: idField,
  values: [String(row[idField])],
});

/** Which ends of a range belong to it; undefined where no row has a whole number or a time to try it on. */
export async function probeRangeEnds(ask: Ask, probed: ProbedMap): Promise<ReadingOf<'range-ends'> | undefined> {
  for (const [field, type] of probed.columns) {
    if (type !== 'int32' && type !== 'timestamp') continue;
    const row = probed.rows.find((each) => each[field] !== null && each[field] !== undefined);
    if (!row) continue;
    const written = row[field];
    const value = typeof written === 'string' && type === 'timestamp' ? instant(written) : Number(written);
    const holds = async (from: number, to: number): Promise<boolean> =>
      (await idsOf(ask, probed.map, [only(probed, row), { method: 'range', field, range: [from, to] }])).length > 0;
    if (!(await holds(value - 1, value + 1))) continue;
    const [low, high] = [await holds(value, value + 1), await holds(value - 1, value)];
    if (low && high) return 'both';
    if (low) return 'lower';
    return high ? undefined : 'neither';
  }
  return undefined;
}

/** How words are searched for; undefined where no row has a word of four letters to try it on. */
export async function probeSearchMatch(ask: Ask, probed: ProbedMap): Promise<ReadingOf<'search-match'> | undefined> {
  for (const [field, type] of probed.columns) {
    if (type !== 'string') continue;
    for (const row of probed.rows) {
      const text = row[field];
      if (typeof text !== 'string') continue;
      const word = text.match(/(?<!\p{L})\p{L}{4,}(?!\p{L})/u)?.[0];
      const inner = word?.slice(1, -1);
      // The piece must not stand in the text as a word of its own.
      if (word === undefined || inner === undefined || new RegExp(`(?<!\\p{L})${inner}(?!\\p{L})`, 'iu').test(text)) continue;
      const holds = async (query: string): Promise<boolean> =>
        (await idsOf(ask, probed.map, [only(probed, row), { method: 'search', field, query }])).length > 0;
      if (!(await holds(word))) continue;
      return (await holds(inner)) ? 'substring' : 'words';
    }
  }
  return undefined;
}
