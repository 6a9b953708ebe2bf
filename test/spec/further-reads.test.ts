import { expect } from 'vitest';
import { addRows, createMap, createProject } from '../service/world.ts';
import { misfitsOf } from './misfits.ts';
import { refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';
import { towards, useVectorMap } from './vector-map.ts';

const place = usePlace();
const vectors = useVectorMap(place);

/** What names a point of the map of own vectors, and its tile. */
async function asked() {
  const { map } = vectors();
  const { dataset_id } = await place().calls.invoke('maps.projections.dataset', { map_id: map });
  return { project_id: dataset_id, projection_id: map, tiles: ['0/0/0'], tix: 0, rix: 5 };
}

proves(
  ['maps:GET /v1/project/search/id', 'maps:GET /v1/project/search/id.1', 'maps:GET /v1/project/search/id#200'],
  'the points of tiles are compared with the one at a row of a tile, whose own similarity is the largest',
  async () => {
    const { calls } = place();
    const at = await asked();
    const { data } = await calls.invoke('maps.neighbors.inTiles', at);
    const qids = Array.from({ length: 40 }, (_, row) => `0-${row}`);
    const points = (await calls.invoke('maps.data.datums', { map_id: at.projection_id, qids, response_type: 'json' })) as { id: string }[];
    const degrees = points.map(({ id }) => Number(id.slice(1)));
    const [x, y] = towards(degrees[at.rix]!);
    expect(data['0/0/0']).toHaveLength(40);
    for (const [row, similarity] of data['0/0/0']!.entries()) {
      const [a, b] = towards(degrees[row]!);
      expect(similarity).toBeCloseTo(x * a + y * b, 5);
    }
    expect(data['0/0/0']![at.rix]).toBe(Math.max(...data['0/0/0']!));
  },
);

proves(
  ['maps:GET /v1/project/search/id#tiles', 'maps:GET /v1/project/search/id#tix', 'maps:GET /v1/project/search/id#rix'],
  'tiles are a JSON list of tiles in the query, and the point is a number of a tile and a row of it that are there',
  async () => {
    const { api, calls } = place();
    const at = await asked();
    const read = (more: Record<string, string>) =>
      api.get(`/v1/project/search/id?${String(new URLSearchParams({ ...at, tiles: '["0/0/0"]', tix: '0', rix: '5', ...more }))}`);
    expect((await read({})).body.data).toEqual((await calls.invoke('maps.neighbors.inTiles', at)).data);
    for (const [name, value] of Object.entries({ tiles: '0/0/0', tix: 'x', rix: '-1' }))
      expect(misfitsOf(await read({ [name]: value }))).toEqual([422, `query.${name}`]);
    expect(misfitsOf(await api.get(`/v1/project/search/id?project_id=${at.project_id}&projection_id=${at.projection_id}`))).toEqual([
      422,
      'query.tiles',
      'query.tix',
      'query.rix',
    ]);
    for (const missing of [{ tix: 7 }, { rix: 40 }, { tiles: ['0/0/0', '1/0/0'] }, { tiles: ['0/3/0'] }, { tiles: ['40/0/0'] }])
      expect((await refusalOf(calls.invoke('maps.neighbors.inTiles', { ...at, ...missing }))).status).toBe(404);
  },
);

proves(
  ['maps:GET /v1/project/search/id#project_id', 'maps:GET /v1/project/search/id#projection_id'],
  'a map is searched as one of its dataset alone',
  async () => {
    const { api, calls } = place();
    const at = await asked();
    const { project_id } = await createProject(place(), 'another');
    expect((await refusalOf(calls.invoke('maps.neighbors.inTiles', { ...at, project_id }))).status).toBe(404);
    expect(misfitsOf(await api.get('/v1/project/search/id?tiles=["0/0/0"]&tix=0&rix=0'))).toEqual([
      422,
      'query.project_id',
      'query.projection_id',
    ]);
  },
);

proves(
  ['maps:GET /v1/project/{dataset_id}/data/get', 'maps:GET /v1/project/{dataset_id}/data/get#200'],
  'the rows of a dataset are read in their order, page by page, or those with a value in a column',
  async () => {
    const { calls, api } = place();
    const { project_id: dataset_id } = await createMap(place(), 30);
    const read = async (more: object) => (await calls.invoke('maps.data.rows', { dataset_id, ...more })).data;
    const all = await read({});
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, row) => `row-${row}`));
    expect(await read({ offset_number: 28, limit: 5 })).toEqual(all.slice(28));
    expect(await read({ limit: 0 })).toEqual([]);
    expect(await read({ field: 'year', value: '1907' })).toEqual([all[7]]);
    expect(await read({ field: 'id', value: 'row-12' })).toEqual([all[12]]);
    expect(await read({ field: 'id', value: 'nobody' })).toEqual([]);
    const path = `/v1/project/${dataset_id}/data/get`;
    for (const [query, loc] of [
      ['field=nothing&value=1', 'query.field'],
      ['field=id', 'query.value'],
      ['value=1', 'query.field'],
      ['limit=1001', 'query.limit'],
    ])
      expect(misfitsOf(await api.get(`${path}?${query}`))).toEqual([422, loc]);
    // A row that took the place of another is there once.
    await calls.invoke('maps.data.delete', { project_id: dataset_id, datum_ids: ['row-3'] });
    await addRows(api, dataset_id, 1, { from: 3 });
    expect((await read({ field: 'id', value: 'row-3' })).length).toBe(1);
  },
);

proves(['maps:POST /v1/project/update#project_id'], 'the dataset that is changed stands in the query, and nowhere else', async () => {
  const { api } = place();
  const { project_id } = await createProject(place(), 'renamed');
  const change = { id: project_id, project_id, description: 'said' };
  expect(misfitsOf(await api.post('/v1/project/update', change))).toEqual([422, 'query.project_id']);
  expect((await api.get(`/v1/project/${project_id}`)).body.description).toBe('');
  expect((await api.post(`/v1/project/update?project_id=${project_id}`, { id: project_id, description: 'said' })).status).toBe(200);
  expect((await api.get(`/v1/project/${project_id}`)).body.description).toBe('said');
});
