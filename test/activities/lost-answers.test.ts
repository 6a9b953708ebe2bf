import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRows, createProject, indexOrder } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** One `api.call` whose answer is lost: after its effect, or together with it. */
async function call(operation: string, input: object, lost: 'after' | 'before') {
  await world.control.fault(operation, 1, { reset: lost });
  return (await world.newRun().step('api.call', { operation, input })).output.result;
}

type Named = { id: string; project_name: string };
const projectsNamed = async (name: string): Promise<string[]> =>
  (await world.api.get('/v1/project/')).body.projects.filter((each: Named) => each.project_name === name).map(({ id }: Named) => id);

const moments = ['after', 'before'] as const;

test.each(moments)('a dataset whose name is no slug is made once, its answer lost %s the effect', async (lost) => {
  const project_name = `Two Words ${lost}`;
  const { organization_id } = world.organization;
  const made = await call('maps.projects.create', { organization_id, project_name }, lost);
  expect(await projectsNamed(project_name)).toEqual([made.project_id]);
});

test.each(moments)('so is one of another organization than the default', async (lost) => {
  const project_name = `elsewhere-${lost}`;
  const { organization_id } = (await world.api.post('/v1/organization/create', { nickname: `Other ${lost}` })).body;
  const made = await call('maps.projects.create', { organization_id, project_name }, lost);
  expect(await projectsNamed(project_name)).toEqual([made.project_id]);
});

test.each(moments)('a dataset of that slug that was there before is not taken for the new one', async (lost) => {
  const slug = `taken-${lost}`;
  const { project_id: older } = await createProject(world, slug, { slug });
  const { organization_id } = world.organization;
  const made = await call('maps.projects.create', { organization_id, project_name: slug, slug }, lost);
  expect(made.project_id).not.toBe(older);
  expect(new Set(await projectsNamed(slug))).toEqual(new Set([older, made.project_id]));
});

test.each(moments)('an organization of that nickname that was there before is not taken for the new one', async (lost) => {
  const nickname = `Twins ${lost}`;
  const { organization_id: older } = (await world.api.post('/v1/organization/create', { nickname })).body;
  const made = await call('maps.organizations.create', { nickname }, lost);
  expect(made.organization_id).not.toBe(older);
  const all = (await world.api.get('/v1/user/')).body.organizations as { nickname: string; organization_id: string }[];
  expect(all.filter((each) => each.nickname === nickname).map(({ organization_id }) => organization_id)).toEqual([
    older,
    made.organization_id,
  ]);
});

test.each(moments)('a map of that name that was there before is not taken for the new one', async (lost) => {
  const { project_id } = await createProject(world, `maps-${lost}`);
  await addRows(world.api, project_id, 40);
  const order = indexOrder(project_id, { indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' });
  const indices = async (): Promise<string[]> =>
    (await world.api.get(`/v1/project/${project_id}`)).body.atlas_indices.map(({ id }: { id: string }) => id);
  const older = (await world.api.post('/v1/project/index/create', order)).body;
  await expect
    .poll(async () => (await world.api.get(`/v1/project/${project_id}`)).body.insert_update_delete_lock, { timeout: 60_000 })
    .toBe(false);
  const made = call('maps.indices.create', order, lost);
  if (lost === 'after') {
    // An index does not say which job builds it: a person decides, and nothing is sent again.
    await expect(made).rejects.toMatchObject({ type: 'Undecided', message: expect.stringContaining('the dataset has a new index') });
  } else {
    const { job_id } = (await made) as { job_id: string };
    expect(job_id).not.toBe(older.job_id);
    expect(await indices()).toContain((await world.api.get(`/v1/project/index/job/${job_id}`)).body.index_id);
  }
  expect(await indices()).toHaveLength(2);
});
