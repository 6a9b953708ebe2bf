import { expect } from 'vitest';
import type { Filter } from '../../contracts/maps/selection.ts';
import { all, any, everyPoint, everything, matched, numbersOf, pointsThat, useMap } from './map-points.ts';
import { misfitsOf } from './misfits.ts';
import { usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();
const map = useMap(place);

const select = (selection: Parameters<typeof matched>[2]) => matched(place(), map().map, selection);
/** What the client would not send. */
const sent = async (selection: unknown) => misfitsOf(await place().api.post('/v1/query', { projection_id: map().map, selection }));

const ofYears = (from: number, to: number): Filter => ({ method: 'range', field: 'year', range: [from - 0.5, to + 0.5] });
const ofIds = (...values: string[]): Filter => ({ method: 'category', field: 'id', values });

proves(['maps:selection-dsl/1'], 'a selection is a JSON object: nothing else is taken for one', async () => {
  for (const selection of [[], [everything], 'year', JSON.stringify(everything), 7, true, null])
    expect(await sent(selection)).toEqual([422, 'body.selection']);
  expect(await sent(everything)).toEqual([200]);
});

proves(['maps:selection-dsl/2'], 'at the top a selection is a composition: no other filter stands there alone', async () => {
  const filters: Filter[] = [ofYears(1903, 1907), ofIds('row-3'), { method: 'search', field: 'text', query: 'ship' }];
  for (const filter of filters) {
    expect(await sent(filter)).toEqual([422, 'body.selection.method']);
    expect(await sent(all(filter))).toEqual([200]);
  }
});

proves(['maps:selection-dsl/3'], 'what a filter is its method says: one without a method, or of an unknown one, is refused', async () => {
  const fields = { field: 'year', range: [1903.5, 1907.5] };
  for (const method of ['between', 'RANGE', '', null, undefined])
    expect(await sent({ ...everything, filters: [{ ...fields, method }] })).toEqual([422, 'body.selection.filters.0.method']);
  // The fields are those of the method that is named.
  expect(await sent({ ...everything, filters: [{ ...fields, method: 'category' }] })).toContain('body.selection.filters.0.values');
  expect(await sent({ ...everything, filters: [{ ...fields, method: 'range' }] })).toEqual([200]);
});

proves(
  ['maps:selection-dsl/composition#conjunctor', 'maps:selection-dsl/composition.1'],
  'a composition names ANY or ALL, written so, and nothing else',
  async () => {
    for (const conjunctor of ['ANY', 'ALL']) expect(await sent({ ...all(ofYears(1900, 1910)), conjunctor })).toEqual([200]);
    for (const conjunctor of ['all', 'Any', 'NONE', 'OR', '', 1, null, undefined])
      expect(await sent({ ...all(ofYears(1900, 1910)), conjunctor })).toEqual([422, 'body.selection.conjunctor']);
  },
);

proves(['maps:selection-dsl/composition#filters'], 'the filters of a composition are an array of filters', async () => {
  for (const filters of [ofYears(1900, 1910), 'year', null, undefined])
    expect(await sent({ ...everything, filters })).toEqual([422, 'body.selection.filters']);
  for (const filter of [7, 'year', null, []])
    expect(await sent({ ...everything, filters: [ofYears(1900, 1910), filter] })).toEqual([422, 'body.selection.filters.1']);
  expect(await select(all(ofYears(1903, 1903)))).toEqual([3]);
});

proves(
  ['maps:selection-dsl/composition#filters', 'maps:selection-dsl/composition.1'],
  'filters may be compositions again, at any depth, and each level counts',
  async () => {
    // Level after level adds the point of its own.
    const adding = everyPoint.slice(0, 50).reduce((inner, point) => any(ofIds(`row-${point}`), all(inner)), any(ofIds('nobody')));
    expect(await select(adding)).toEqual(everyPoint.slice(0, 50));
    // Level after level takes one away.
    const taking = everyPoint
      .slice(0, 50)
      .reduce((inner, point) => all({ ...ofIds(`row-${point}`), polarity: false }, any(inner)), everything);
    expect(await select(taking)).toEqual(everyPoint.slice(50));
    // As text: so deep a value meets the end of the stack where it is written as JSON.
    const [within, around] = ['{"method":"composition","conjunctor":"ALL","filters":[', ']}'].map((part) => part.repeat(20_000));
    const text = `{"projection_id":"${map().map}","selection":${within}${JSON.stringify(ofYears(1903, 1907))}${around}}`;
    const { status, body } = await place().api.send('POST', '/v1/query', new TextEncoder().encode(text));
    expect([status, numbersOf(body)]).toEqual([200, [3, 4, 5, 6, 7]]);
  },
);

proves(['maps:selection-dsl/composition.2'], 'ANY matches the points that at least one of its filters matches', async () => {
  expect(await select(any(ofYears(1903, 1907), ofYears(1906, 1910), ofIds('row-40')))).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 40]);
  expect(await select(any(ofYears(1800, 1801), ofIds('row-40')))).toEqual([40]);
  expect(await select(any(ofYears(1800, 1801), ofIds('nobody')))).toEqual([]);
});

proves(['maps:selection-dsl/composition.3'], 'ALL matches the points that every one of its filters matches', async () => {
  expect(await select(all(ofYears(1903, 1907), ofYears(1906, 1910)))).toEqual([6, 7]);
  expect(await select(all(ofYears(1903, 1907), ofYears(1906, 1910), ofIds('row-7', 'row-9')))).toEqual([7]);
  expect(await select(all(ofYears(1903, 1907), ofIds('row-40')))).toEqual([]);
});

proves(['maps:selection-dsl/composition'], 'a composition within another one is matched as a whole', async () => {
  const ships: Filter = { method: 'search', field: 'text', query: 'ship' };
  const isShip = (point: number): boolean => point % 9 === 0;
  expect(await select(all(ships, any(ofYears(1900, 1910), ofYears(1950, 1959))))).toEqual(
    pointsThat((point) => isShip(point) && (point <= 10 || point >= 50)),
  );
  expect(await select(any(ships, all(ofYears(1900, 1910), ofYears(1905, 1959))))).toEqual(
    pointsThat((point) => isShip(point) || (point >= 5 && point <= 10)),
  );
});
