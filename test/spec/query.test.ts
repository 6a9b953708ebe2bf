import { beforeAll, expect } from 'vitest';
import { addRows, built, indexOrder } from '../service/world.ts';
import { all, any, everyPoint, everything, matched, numbersOf, pointsThat, useMap } from './map-points.ts';
import { misfitsOf } from './misfits.ts';
import { refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();
const map = useMap(place);
/** A second map of the same dataset, with five points more. */
let larger = '';
beforeAll(async () => {
  const { api } = place();
  await addRows(api, map().project_id, 5, { from: 60 });
  const { body } = await api.post('/v1/project/index/create', indexOrder(map().project_id, { index_name: 'larger' }));
  await built(api, body.job_id);
  larger = body.projection_id;
});

const added = [60, 61, 62, 63, 64];

proves(
  ['maps:query-request/projection_id', 'maps:POST /v1/query.1'],
  'a query names the map that it is for by its uuid, and finds the points of that map alone',
  async () => {
    expect(await matched(place(), map().map, everything)).toEqual(everyPoint);
    expect(await matched(place(), larger, everything)).toEqual([...everyPoint, ...added]);
    for (const projection_id of [undefined, null, 7, 'map', `${map().map}0`])
      expect(misfitsOf(await place().api.post('/v1/query', { projection_id, selection: everything }))).toEqual([422, 'body.projection_id']);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(String((await refusalOf(matched(place(), unknown, everything))).body)).toContain(unknown);
  },
);

proves(
  ['maps:query-request/selection', 'maps:POST /v1/query.1'],
  'a query needs a selection, which decides which points are found',
  async () => {
    for (const selection of [undefined, null])
      expect(misfitsOf(await place().api.post('/v1/query', { projection_id: map().map, selection }))).toEqual([422, 'body.selection']);
    expect(await matched(place(), map().map, all({ method: 'range', field: 'year', range: [1906.5, 1908.5] }))).toEqual([7, 8]);
    expect(await matched(place(), map().map, any({ method: 'category', field: 'id', values: ['nobody'] }))).toEqual([]);
  },
);

proves(['maps:query-request/1'], 'the answer is a JSON list that holds the id of each matching point once, and nothing else', async () => {
  const ask = (year: number) =>
    place().api.post('/v1/query', {
      projection_id: larger,
      selection: all({ method: 'range', field: 'year', range: [year - 0.5, year + 0.5] }),
    });
  expect(await ask(1_907)).toMatchObject({ status: 200, body: ['row-7'] });
  expect(await ask(1_850)).toMatchObject({ status: 200, body: [] });
  const { body } = await place().api.post('/v1/query', { projection_id: larger, selection: everything });
  expect(numbersOf(body)).toEqual([...everyPoint, ...added]);
  expect(new Set(body.map((id: unknown) => typeof id))).toEqual(new Set(['string']));
});

proves(
  ['maps:what-the-service-does/7'],
  'a map is queried by search, range and category at once, put together by compositions',
  async () => {
    const selection = all(
      { method: 'search', field: 'text', query: 'harbour' },
      any(
        { method: 'range', field: 'year', range: [1919.5, 1959.5] },
        { method: 'category', field: 'id', values: ['row-1', 'row-2', 'row-10'] },
      ),
    );
    expect(await matched(place(), map().map, selection)).toEqual(
      pointsThat((point) => point % 9 === 1 && (point >= 20 || [1, 2, 10].includes(point))),
    );
  },
);

proves(['maps:what-the-service-does/2'], 'a dataset has maps, each under a projection_id of its own, by which it is found', async () => {
  const { project_id } = map();
  const { calls } = place();
  const { maps, atlas_indices } = await calls.invoke('maps.projects.get', { project_id });
  expect(maps.map((each) => [each.projection_id, each.total_data_points])).toEqual(
    expect.arrayContaining([
      [map().map, 60],
      [larger, 65],
    ]),
  );
  expect(maps).toHaveLength(2);
  for (const projection of [map().map, larger]) {
    const found = await calls.invoke('maps.projections.dataset', { map_id: projection });
    const index = atlas_indices.find(({ projections }) => projections.some(({ id }) => id === projection));
    expect(found).toEqual({ dataset_id: project_id, index_id: index?.id });
  }
});
