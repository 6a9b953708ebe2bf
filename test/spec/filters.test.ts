import { expect } from 'vitest';
import type { Filter } from '../../contracts/maps/selection.ts';
import { all, matched, pointsThat, useMap } from './map-points.ts';
import { misfitsOf } from './misfits.ts';
import { refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();
const map = useMap(place);

const pointsOf = (filter: Filter) => matched(place(), map().map, all(filter));
/** How a filter is refused that the client would not send, by the places within it. */
const misfits = async (filter: object) => {
  const answer = await place().api.post('/v1/query', {
    projection_id: map().map,
    selection: { method: 'composition', conjunctor: 'ALL', filters: [filter] },
  });
  const [status, ...places] = misfitsOf(answer);
  return [status, ...places.map((each) => each.replace('body.selection.filters.0.', ''))];
};
const unknownColumn = async (filter: Filter) => String((await refusalOf(pointsOf(filter))).body);

proves(['maps:selection-dsl/search'], 'a search matches the points whose text holds the keyword, in the column that it names', async () => {
  expect(await pointsOf({ method: 'search', field: 'text', query: 'kitchen' })).toEqual(pointsThat((point) => point % 9 === 4));
  expect(await pointsOf({ method: 'search', field: 'text', query: '41' })).toEqual([41]);
  expect(await pointsOf({ method: 'search', field: 'text', query: 'submarine' })).toEqual([]);
});

proves(['maps:selection-dsl/search#query'], 'the query of a search is a text, and must be there', async () => {
  for (const query of [7, ['ship'], null, undefined])
    expect(await misfits({ method: 'search', field: 'text', query })).toEqual([422, 'query']);
});

proves(['maps:selection-dsl/search#field'], 'the field of a search is the name of one column, which alone is searched', async () => {
  expect(await pointsOf({ method: 'search', field: 'id', query: 'ship' })).toEqual([]);
  expect(await pointsOf({ method: 'search', field: 'id', query: 'row-41' })).toEqual([41]);
  expect(await pointsOf({ method: 'search', field: 'text', query: 'row-41' })).toEqual([]);
  for (const field of [7, ['text'], null, undefined])
    expect(await misfits({ method: 'search', query: 'ship', field })).toEqual([422, 'field']);
  expect(await unknownColumn({ method: 'search', field: 'colour', query: 'ship' })).toContain('colour');
});

// No bound is the value of a point: whether bounds belong to the range the text leaves open.
proves(
  ['maps:selection-dsl/range', 'maps:selection-dsl/range.2'],
  'a range matches the points whose number lies between its bounds',
  async () => {
    expect(await pointsOf({ method: 'range', field: 'year', range: [1909.5, 1914.5] })).toEqual([10, 11, 12, 13, 14]);
    expect(await pointsOf({ method: 'range', field: 'score', range: [0.95, 1.25] })).toEqual([10, 11, 12]);
    expect(await pointsOf({ method: 'range', field: 'year', range: [1955.5, 3_000] })).toEqual([56, 57, 58, 59]);
    expect(await pointsOf({ method: 'range', field: 'year', range: [-10, 1901.5] })).toEqual([0, 1]);
    expect(await pointsOf({ method: 'range', field: 'year', range: [1909.25, 1909.75] })).toEqual([]);
  },
);

proves(['maps:selection-dsl/range#range', 'maps:selection-dsl/range.1'], 'a range has two bounds, and both are numbers', async () => {
  for (const range of [[], [1_910], [1_910, 1_914, 1_920], 1_910, '1910-1914', { from: 1_910, to: 1_914 }, null, undefined])
    expect(await misfits({ method: 'range', field: 'year', range })).toEqual([422, 'range']);
  expect(await misfits({ method: 'range', field: 'year', range: [1_910, '1914'] })).toEqual([422, 'range.1']);
  expect(await misfits({ method: 'range', field: 'year', range: [null, 1_914] })).toEqual([422, 'range.0']);
});

proves(['maps:selection-dsl/range#field', 'maps:selection-dsl/range.1'], 'the field of a range is the name of one column', async () => {
  expect(await pointsOf({ method: 'range', field: 'score', range: [1.95, 4.05] })).toEqual(
    pointsThat((point) => point >= 20 && point <= 40),
  );
  expect(await pointsOf({ method: 'range', field: 'year', range: [1.95, 4.05] })).toEqual([]);
  for (const field of [7, ['year'], null, undefined])
    expect(await misfits({ method: 'range', range: [1, 2], field })).toEqual([422, 'field']);
  expect(await unknownColumn({ method: 'range', field: 'colour', range: [1, 2] })).toContain('colour');
});

proves(['maps:selection-dsl/range.3'], 'of a column of times the bounds are milliseconds since 1970 in UTC', async () => {
  const [from, to] = [Date.UTC(1970, 0, 10, 12), Date.UTC(1970, 0, 13, 12)];
  expect(await pointsOf({ method: 'range', field: 'when', range: [from, to] })).toEqual([10, 11, 12]);
  expect(await pointsOf({ method: 'range', field: 'when', range: [from / 1_000, to / 1_000] })).toEqual([]);
  // One millisecond around the start of the day of point 20.
  const day = Date.UTC(1970, 0, 21);
  expect(await pointsOf({ method: 'range', field: 'when', range: [day - 1, day + 1] })).toEqual([20]);
  expect(await pointsOf({ method: 'range', field: 'when', range: [day + 1, day + 2] })).toEqual([]);
});

proves(
  ['maps:selection-dsl/category', 'maps:selection-dsl/category.2'],
  'a category matches the points whose value is one of those listed, as a whole',
  async () => {
    expect(await pointsOf({ method: 'category', field: 'text', values: ['ship number 0', 'cook number 3', 'no such'] })).toEqual([0, 3]);
    expect(await pointsOf({ method: 'category', field: 'text', values: ['ship', 'number', 'ship number'] })).toEqual([]);
    expect(await pointsOf({ method: 'category', field: 'id', values: ['row-1'] })).toEqual([1]);
    expect(await pointsOf({ method: 'category', field: 'year', values: ['1907', '1930'] })).toEqual([7, 30]);
    expect(await pointsOf({ method: 'category', field: 'id', values: [] })).toEqual([]);
  },
);

proves(['maps:selection-dsl/category#values', 'maps:selection-dsl/category.1'], 'the values of a category are an array', async () => {
  for (const values of ['row-1', { 0: 'row-1' }, null, undefined])
    expect(await misfits({ method: 'category', field: 'id', values })).toEqual([422, 'values']);
  for (const value of [['row-1'], { value: 'row-1' }, null])
    expect(await misfits({ method: 'category', field: 'id', values: ['row-2', value] })).toEqual([422, 'values.1']);
});

proves(
  ['maps:selection-dsl/category#field', 'maps:selection-dsl/category.1'],
  'the field of a category is the name of one column',
  async () => {
    const values = ['row-1', 'ship number 9'];
    expect(await pointsOf({ method: 'category', field: 'id', values })).toEqual([1]);
    expect(await pointsOf({ method: 'category', field: 'text', values })).toEqual([9]);
    for (const field of [7, ['id'], null, undefined]) expect(await misfits({ method: 'category', values, field })).toEqual([422, 'field']);
    expect(await unknownColumn({ method: 'category', field: 'colour', values })).toContain('colour');
  },
);
