import { beforeAll } from 'vitest';
import type { Filter, Selection } from '../../contracts/maps/selection.ts';
import { createMap } from '../service/world.ts';
import type { Place } from './place.ts';

/** Numbers of the points of a map, from 0: their ids are `row-0` and so on. */
export const pointsThat = (holds: (point: number) => boolean): number[] => Array.from({ length: 60 }, (_, point) => point).filter(holds);
export const everyPoint = pointsThat(() => true);

type Made = Awaited<ReturnType<typeof createMap>>;

/** One map for all tests of a file that only read it, of the rows that `shardOf` makes. */
export const useMap = (place: () => Place, more: object = {}): (() => Made) => {
  let made: Made | undefined;
  beforeAll(async () => {
    made = await createMap(place(), everyPoint.length, more);
  });
  return () => made!;
};

export const all = (...filters: Filter[]): Selection => ({ method: 'composition', conjunctor: 'ALL', filters });
export const any = (...filters: Filter[]): Selection => ({ method: 'composition', conjunctor: 'ANY', filters });

/** Matches every point. A composition without filters would be shorter, but what it matches the text does not say. */
export const everything = all({ method: 'range', field: 'year', range: [0, 9_999] });

/** Numbers of points, ascending, from a list of their ids: the text gives it no order. */
export const numbersOf = (ids: unknown): number[] => {
  if (!Array.isArray(ids)) throw new Error(`not a list of ids: ${JSON.stringify(ids)}`);
  return ids.map((id) => Number(String(id).replace('row-', ''))).toSorted((a, b) => a - b);
};

/** Numbers of the points of a map that a selection matches. */
export const matched = async ({ calls }: Place, projection_id: string, selection: Selection): Promise<number[]> =>
  numbersOf(await calls.invoke('maps.query.select', { projection_id, selection }));
