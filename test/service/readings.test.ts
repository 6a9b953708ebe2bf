import { Utf8 } from 'apache-arrow';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { assumptionNames, parseReading, readingsOf } from '../../contracts/assumptions/index.ts';
import { addRows, arrowFile, built, createApi, createMap, createProject, createWorld, indexOrder, shardOf, type World } from './world.ts';

const assume = async (api: Awaited<ReturnType<typeof createWorld>>['api'], readings: Partial<Readings>): Promise<number> =>
  (await api.post('/__control/readings', readings, { 'content-type': 'application/json' })).status;

test('every assumption has at least two readings, and each of them is taken by name', () => {
  for (const name of assumptionNames) {
    expect(readingsOf(name).length).toBeGreaterThan(1);
    for (const reading of readingsOf(name) as string[]) expect(parseReading(`${name}=${reading}`)).toEqual({ [name]: reading });
  }
  expect(parseReading('counts=never')).toEqual({ fault: "'never' is no reading of counts; known: at-once, late" });
  expect(parseReading('toString=x')).toMatchObject({ fault: expect.stringMatching(/is no assumption/) });
});

test('a service takes readings when it starts and while it runs, and goes back to those of its start', async () => {
  await using world = await createWorld({ assume: { counts: 'late' } });
  const { api } = world;
  expect(await assume(api, { counts: 'sometimes' } as never)).toBe(422);
  expect(await assume(api, { 'top-polarity': 'ignored' })).toBe(200);
  expect((await api.get('/__control/readings')).body).toMatchObject({ counts: 'late', 'top-polarity': 'ignored', names: 'svc' });
  await api.post('/__control/readings/reset', {}, { 'content-type': 'application/json' });
  expect((await api.get('/__control/readings')).body).toMatchObject({ counts: 'late', 'top-polarity': 'honoured' });
});

test('an id that waits for its deletion is skipped, or lost with it, in those readings', async () => {
  for (const [reading, left] of [
    ['skipped', 59],
    ['lost', 59],
    ['replaces', 60],
  ] as const) {
    await using world = await createWorld({ assume: { 'readded-id': reading } });
    const { api } = world;
    const { project_id } = await createMap(world, 60);
    await api.post('/v1/project/data/delete', { project_id, datum_ids: ['row-5'] });
    expect((await api.post('/v1/project/data/add/arrow', shardOf(project_id, 60))).status).toBe(200);
    await api.post('/v1/project/update_indices', { project_id });
    expect([reading, (await api.get(`/v1/project/${project_id}`)).body.total_datums_in_project]).toEqual([reading, left]);
  }
});

test('rows of known ids are skipped, refuse the whole call, or replace those that are there, in those readings', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id } = await createProject(world);
  const add = async (count: number, from: number, reading: Readings['known-ids']): Promise<unknown[]> => {
    await assume(api, { 'known-ids': reading });
    const { status } = await api.post(
      '/v1/project/data/add/arrow',
      arrowFile(
        { project_id, on_id_conflict_ignore: 'true' },
        {
          id: { type: new Utf8(), values: Array.from({ length: count }, (_, at) => `row-${from + at}`) },
          text: { type: new Utf8(), values: Array.from({ length: count }, () => reading) },
        },
      ),
    );
    const { body } = await api.post('/v1/project/data/get', { project_id, datum_ids: ['row-0'] });
    return [status, body.datums[0].text, (await api.get(`/v1/project/${project_id}`)).body.total_datums_in_project];
  };
  expect(await add(2, 0, 'refused')).toEqual([200, 'refused', 2]);
  expect(await add(3, 0, 'skipped')).toEqual([200, 'refused', 3]);
  expect(await add(4, 0, 'refused')).toEqual([409, 'refused', 3]);
  expect(await add(4, 0, 'replaced')).toEqual([200, 'replaced', 4]);
  const { summary } = (await api.get('/__control/journal')).body;
  expect(summary.repeated).toBe(0);
});

test('an index of a name that is there is another one, refused, or the one that is there, in those readings', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id, job } = await createMap(world);
  const order = async (reading: Readings['same-index-name'], index_name: string | null = 'map'): Promise<unknown[]> => {
    await assume(api, { 'same-index-name': reading });
    const random = { indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' };
    const { status, body } = await api.post('/v1/project/index/create', indexOrder(project_id, { index_name, ...random }));
    if (status === 200) expect(await built(api, body.job_id)).toBe('Completed');
    return [status, body.job_id === job, (await api.get(`/v1/project/${project_id}`)).body.atlas_indices.length];
  };
  expect(await order('refused')).toEqual([409, false, 1]);
  expect(await order('existing')).toEqual([200, true, 1]);
  expect(await order('another')).toEqual([200, false, 2]);
  expect(await order('refused', null)).toEqual([200, false, 3]);
  expect(await order('refused', null)).toEqual([200, false, 4]);
});

test('the list of datasets is whole, or a first page, in those readings', async () => {
  await using world = await createWorld();
  for (let at = 0; at < 5; at++) await createProject(world, `dataset-${at}`);
  const listed = async (): Promise<number> => (await world.api.get('/v1/project/')).body.projects.length;
  const whole = await listed();
  await assume(world.api, { 'project-list': 'first-page' });
  expect([whole, await listed()]).toEqual([5, 3]);
});

test('a count that is late is right two reads later', async () => {
  await using world = await createWorld({ assume: { counts: 'late' } });
  const { project_id } = await createProject(world);
  await addRows(world.api, project_id, 25);
  const read = async (): Promise<number> => (await world.api.get(`/v1/project/${project_id}`)).body.total_datums_in_project;
  expect([await read(), await read(), await read(), await read()]).toEqual([0, 0, 25, 25]);
});

test('an update that is begun late is begun although the service was ended in between', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portolan-late-'));
  try {
    const options = { dataDir, assume: { 'update-start': 'late' } } as const;
    const dataset = async ({ api }: World, id: string): Promise<any> => (await api.get(`/v1/project/${id}`)).body;
    const holds = (world: World, id: string, rows: number): Promise<unknown> =>
      vi.waitUntil(
        async () => {
          const { total_datums_in_project, insert_update_delete_lock } = await dataset(world, id);
          return total_datums_in_project === rows && !insert_update_delete_lock;
        },
        { timeout: 300_000 },
      );
    const first = await createWorld(options);
    const { project_id } = await createMap(first, 60);
    await first.api.post('/v1/project/data/delete', { project_id, datum_ids: ['row-5'] });
    const orders = [1, 2].map(() => first.api.post('/v1/project/update_indices', { project_id }));
    expect((await Promise.all(orders)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await dataset(first, project_id)).toMatchObject({ total_datums_in_project: 60 });
    await first.close();
    await using second = await createWorld(options);
    await holds(second, project_id, 59);
    await second.close();
    // What was begun is ordered no longer: the next order is another one.
    await using third = await createWorld(options);
    await third.api.post('/v1/project/data/delete', { project_id, datum_ids: ['row-6'] });
    await third.api.post('/v1/project/update_indices', { project_id });
    await holds(third, project_id, 58);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('unknown ids refuse a deletion, a completed upload is unknown, a point is none of its neighbours, in those readings', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { project_id } = await createMap(world, 60);
  const remove = async (): Promise<number> =>
    (await api.post('/v1/project/data/delete', { project_id, datum_ids: ['row-1', 'nobody'] })).status;
  expect(await assume(api, { 'unknown-deletion': 'refused' })).toBe(200);
  expect(await remove()).toBe(404);
  await assume(api, { 'unknown-deletion': 'ignored' });
  expect(await remove()).toBe(200);
  const { atlas_indices } = (await api.get(`/v1/project/${project_id}`)).body;
  const near = async (): Promise<string[]> =>
    (
      await api.post('/v1/project/data/get/nearest_neighbors/by_id', {
        atlas_index_id: atlas_indices[0].id,
        datum_ids: ['row-7'],
        k: 3,
      })
    ).body.neighbors[0];
  const among = await near();
  expect([among[0], among.length]).toEqual(['row-7', 3]);
  await assume(api, { 'own-neighbor': 'left-out' });
  const others = await near();
  expect([others.slice(0, 2), others.length]).toEqual([among.slice(1), 3]);
});

test('without a key nothing is read where the service has taken that reading, be it public', async () => {
  await using world = await createWorld({ assume: { 'public-reads': 'keys' } });
  const { project_id } = await createProject(world, 'open', { is_public: true });
  const nobody = createApi(world.service.fetch, 'http://127.0.0.1', null);
  expect((await nobody.get(`/v1/project/${project_id}`)).status).toBe(401);
  await assume(world.api, { 'public-reads': 'everybody' });
  expect((await nobody.get(`/v1/project/${project_id}`)).status).toBe(200);
});

test('selections follow the readings of ends, empty lists, categories, words and the polarity of the top', async () => {
  await using world = await createWorld();
  const { api } = world;
  const { map } = await createMap(world, 60);
  const count = async (readings: Partial<Readings>, selection: object): Promise<number> => {
    await api.post('/__control/readings/reset', {}, { 'content-type': 'application/json' });
    await assume(api, readings);
    const { status, body } = await api.post('/v1/query', {
      projection_id: map,
      selection: { method: 'composition', conjunctor: 'ALL', ...selection },
    });
    return status === 200 ? (body.data ?? body).length : -status;
  };
  const years = { filters: [{ method: 'range', field: 'year', range: [1910, 1920] }] };
  expect([await count({}, years), await count({ 'range-ends': 'neither' }, years), await count({ 'range-ends': 'lower' }, years)]).toEqual([
    11, 9, 10,
  ]);
  expect(await count({ 'range-bounds': 'within-type' }, { filters: [{ method: 'range', field: 'year', range: [-1e300, 1e300] }] })).toBe(
    -422,
  );
  expect([
    await count({}, { filters: [] }),
    await count({ 'empty-all': 'none' }, { filters: [] }),
    await count({ 'empty-all': 'refused' }, { filters: [] }),
  ]).toEqual([60, 0, -422]);
  const category = { filters: [{ method: 'category', field: 'year', values: ['1910'] }] };
  expect([await count({}, category), await count({ 'category-values': 'typed' }, category)]).toEqual([1, 0]);
  expect(await count({ 'category-values': 'strings' }, { filters: [{ method: 'category', field: 'year', values: [1910] }] })).toBe(-422);
  const search = { filters: [{ method: 'search', field: 'text', query: 'harb' }] };
  expect([await count({}, search), await count({ 'search-match': 'words' }, search)]).toEqual([7, 0]);
  const inverted = { ...years, polarity: false };
  expect([await count({}, inverted), await count({ 'top-polarity': 'ignored' }, inverted)]).toEqual([49, 11]);
  expect(await count({ 'select-answer': 'data-objects' }, years)).toBe(11);
  expect(await count({ 'selection-size': 'capped' }, { filters: [] })).toBe(25);
});
