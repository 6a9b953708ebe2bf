import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Utf8 } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arrowFile, built, createProject, createWorld, indexOrder } from './world.ts';

/** Half of a character that takes two: no text that is stored holds one, and what stands there in its place is another id. */
const half = '\ud800';
const inItsPlace = half.toWellFormed();

let dataDir: string;
let project: string;
let map: string;
let index: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'portolan-service-'));
  const world = await createWorld({ dataDir });
  const { project_id } = await createProject(world);
  const ids = [inItsPlace, ...Array.from({ length: 29 }, (_, row) => `row-${row}`)];
  const text = { type: new Utf8(), values: ids.map((id) => `text of ${id}`) };
  const file = arrowFile({ project_id }, { id: { type: new Utf8(), values: ids }, text });
  expect(await world.api.post('/v1/project/data/add/arrow', file)).toMatchObject({ status: 200 });
  const { body } = await world.api.post('/v1/project/index/create', indexOrder(project_id));
  expect(await built(world.api, body.job_id)).toBe('Completed');
  index = (await world.api.get(`/v1/project/index/job/${body.job_id}`)).body.index_id;
  [project, map] = [project_id, body.projection_id];
  await world.close();
});
afterAll(() => rmSync(dataDir, { recursive: true }));

test('an id that holds half a character is not there, for any read, tag or deletion, before the ids are in memory and after', async () => {
  await using world = await createWorld({ dataDir });
  const { api } = world;
  const statusesOf = async (id: string): Promise<Record<string, number>> => ({
    get: (await api.post('/v1/project/data/get', { project_id: project, datum_ids: ['row-1', id] })).status,
    atoms: (await api.post('/v1/project/atoms/get', { project_id: project, index_id: index, atom_ids: ['row-1', id] })).status,
    neighbors: (await api.post('/v1/project/data/get/nearest_neighbors/by_id', { atlas_index_id: index, datum_ids: [id] })).status,
    arrow: (await api.post('/v1/project/data/get/arrow/nearest_neighbors/by_id', { atlas_index_id: index, atom_ids: [id] })).status,
  });
  const notThere = { get: 404, atoms: 404, neighbors: 404, arrow: 404 };
  const tag = async (...ids: string[]) => {
    const order = { projection_id: map, tag_name: 'few', ids, operation: 'add', id_field: 'id' };
    const { status, body } = await api.post('/v1/query/update/tag/ids', order);
    return [status, body.points_tagged];
  };
  const remove = async (...datum_ids: string[]) => (await api.post('/v1/project/data/delete', { project_id: project, datum_ids })).status;

  // The service has just been started: nothing has been written that needs the ids in memory.
  expect(await statusesOf('none')).toEqual(notThere);
  expect(await statusesOf(half)).toEqual(notThere);
  expect(await tag(half)).toEqual([200, 0]);
  expect(await tag(half, 'row-1')).toEqual([200, 1]);
  expect(await statusesOf(half)).toEqual(notThere);
  expect(await statusesOf(`row-1${half}`)).toEqual(notThere);
  expect(await remove(half, 'row-2')).toBe(200);

  expect(await statusesOf(inItsPlace)).toEqual({ get: 200, atoms: 200, neighbors: 200, arrow: 200 });
  await api.post('/v1/project/update_indices', { project_id: project });
  await expect.poll(async () => (await api.get(`/v1/project/${project}`)).body.insert_update_delete_lock).toBe(false);
  expect((await api.get(`/v1/project/${project}`)).body.total_datums_in_project).toBe(29);
  expect(await statusesOf(inItsPlace)).toEqual({ get: 200, atoms: 200, neighbors: 200, arrow: 200 });
});
