import { expect } from 'vitest';
import type { Filter } from '../../contracts/maps/selection.ts';
import { all, any, everything, matched, pointsThat, useMap } from './map-points.ts';
import { misfitsOf } from './misfits.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();
const map = useMap(place);

const select = (selection: Parameters<typeof matched>[2]) => matched(place(), map().map, selection);

/** A filter of each method, and the points that it matches. */
const filters: { filter: Filter; matches: number[] }[] = [
  { filter: { method: 'search', field: 'text', query: 'engine' }, matches: pointsThat((point) => point % 9 === 6) },
  { filter: { method: 'range', field: 'year', range: [1919.5, 1929.5] }, matches: pointsThat((point) => point >= 20 && point < 30) },
  { filter: { method: 'category', field: 'id', values: ['row-4', 'row-50'] }, matches: [4, 50] },
  { filter: any({ method: 'category', field: 'id', values: ['row-4'] }), matches: [4] },
];

const others = (matches: number[]): number[] => pointsThat((point) => !matches.includes(point));

proves(
  ['maps:selection-dsl/4', 'maps:selection-dsl/4#polarity'],
  'a filter of any method may say its polarity, which is true or false and nothing else',
  async () => {
    for (const { filter, matches } of filters) {
      expect(await select(all({ ...filter, polarity: true }))).toEqual(matches);
      expect(await select(all({ ...filter, polarity: false }))).toEqual(others(matches));
      for (const polarity of ['false', 0, 'negative', []]) {
        const selection = { ...everything, filters: [{ ...filter, polarity }] };
        const answer = await place().api.post('/v1/query', { projection_id: map().map, selection });
        expect(misfitsOf(answer)).toEqual([422, 'body.selection.filters.0.polarity']);
      }
    }
  },
);

proves(['maps:selection-dsl/5'], 'with polarity false a filter matches exactly the points that it does not match otherwise', async () => {
  for (const { filter, matches } of filters) {
    const inverted = { ...filter, polarity: false };
    expect(await select(all(inverted))).toEqual(others(matches));
    // An inverted filter within an inverted composition.
    expect(await select(all({ ...all(inverted), polarity: false }))).toEqual(matches);
    // It is inverted alone: what stands beside it is not.
    const few: Filter = { method: 'range', field: 'year', range: [1903.5, 1926.5] };
    expect(await select(all(few, inverted))).toEqual(pointsThat((point) => point >= 4 && point <= 26 && !matches.includes(point)));
  }
  const [first, second] = [filters[0]!, filters[1]!];
  const both: Filter = { ...all(first.filter, second.filter), polarity: false };
  expect(await select(all(both))).toEqual(pointsThat((point) => !(first.matches.includes(point) && second.matches.includes(point))));
});

proves(['maps:selection-dsl/6'], 'a filter that says no polarity is not inverted', async () => {
  for (const { filter, matches } of filters) {
    expect(filter).not.toHaveProperty('polarity');
    expect(await select(all(filter))).toEqual(matches);
    // Neither is one within an inverted composition: that composition alone is.
    expect(await select(all({ ...any(filter), polarity: false }))).toEqual(others(matches));
  }
});
