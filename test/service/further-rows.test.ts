import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addRows, createMap, createProject, createWorld } from './world.ts';

test('an atom is the row of its id, of the index that is named', async () => {
  await using world = await createWorld();
  const { project_id, job } = await createMap(world, 25);
  const index_id = (await world.api.get(`/v1/project/index/job/${job}`)).body.index_id;
  const atoms = (atom_ids: string[], project = project_id) =>
    world.api.post('/v1/project/atoms/get', { project_id: project, index_id, atom_ids });
  const { body } = await atoms(['row-2', 'row-1']);
  expect(Object.keys(body.atoms)).toEqual(['row-2', 'row-1']);
  expect(body.atoms['row-1']).toEqual((await world.api.post('/v1/project/data/get', { project_id, datum_ids: ['row-1'] })).body.datums[0]);
  expect([(await atoms(['row-1', 'nobody'])).status, (await atoms([])).status]).toEqual([404, 422]);
  const other = (await createProject(world, 'other')).project_id;
  await addRows(world.api, other, 25);
  expect((await atoms(['row-1'], other)).status).toBe(404);
  const files = () => readdirSync(join(world.dataDir, 'datasets')).length;
  const before = files();
  expect((await atoms(['row-1'], '00000000-0000-4000-8000-000000000000')).status).toBe(404);
  expect(files()).toBe(before);
});

test('a search by vector finds what the neighbours of the vector are', async () => {
  await using world = await createWorld();
  const { project_id, job } = await createMap(world, 25);
  const atlas_index_id = (await world.api.get(`/v1/project/index/job/${job}`)).body.index_id;
  expect(project_id).toBeDefined();
  const queries = [Array.from({ length: 768 }, (_, at) => Math.sin(at))];
  const body = { atlas_index_id, queries, k: 3 };
  const found = await world.api.post('/v1/project/search/vector', body);
  expect([found.status, found.body]).toEqual([
    200,
    (await world.api.post('/v1/project/data/get/nearest_neighbors/by_embedding', body)).body,
  ]);
  expect(found.body.neighbors[0]).toHaveLength(3);
});

test('a dataset is changed by the deprecated address as well, whose path names it', async () => {
  await using world = await createWorld();
  const { project_id } = await createProject(world);
  const { status } = await world.api.post(`/v1/project/update/${project_id}`, { id: project_id, description: 'said' });
  expect([status, (await world.api.get(`/v1/project/${project_id}`)).body.description]).toEqual([200, 'said']);
  const other = (await createProject(world, 'other')).project_id;
  expect((await world.api.post(`/v1/project/update/${project_id}`, { id: other, description: 'no' })).status).toBe(422);
});

test('the profile is the user without organizations, by GET and by POST', async () => {
  await using world = await createWorld();
  const { organizations, default_organization, waitlisted, ...user } = (await world.api.get('/v1/user/')).body;
  expect([organizations.length, default_organization, waitlisted]).toEqual([1, organizations[0].organization_id, false]);
  expect([(await world.api.get('/v1/user/profile')).body, (await world.api.post('/v1/user/profile')).body]).toEqual([user, user]);
});
