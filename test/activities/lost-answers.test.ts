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
  await expect.poll(async () => (await world.api.get(`/v1/project/${project_id}`)).body.insert_update_delete_lock).toBe(false);
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

/** Two users of one organization, with a key each, and further keys of the second one by these names. */
async function withColleague(...names: string[]): Promise<{ organization_id: string; user: string }> {
  const { organization_id } = world.organization;
  const user = (await world.control.addUser({ name: names.join(), email: `${names.join()}@example.com` })).id;
  for (const name of names) await world.control.issueKey({ service: 'maps', name, user });
  return { organization_id, user };
}

type KeyOf = { key_name: string; user_id: string };
const ownersOf = async (name: string): Promise<string[]> => {
  const { keys } = (await world.api.get(`/v1/user/authorization/keys/${world.organization.organization_id}`)).body;
  return keys.filter(({ key_name }: KeyOf) => key_name === name).map(({ user_id }: KeyOf) => user_id);
};

test.each(moments)('a key is removed where another user has one of that name, its answer lost %s the effect', async (lost) => {
  const key_name = `removed-${lost}`;
  const { organization_id, user } = await withColleague(key_name);
  await world.control.issueKey({ service: 'maps', name: key_name });
  expect(await call('maps.keys.remove', { organization_id, key_name }, lost)).toEqual({ result: 'ok' });
  expect(await ownersOf(key_name)).toEqual([user]);
});

test('a lost key is left to a person where another user has one of that name', async () => {
  const { organization_id, user } = await withColleague('made');
  await expect(call('maps.keys.create', { organization_id, key_name: 'made' }, 'after')).rejects.toMatchObject({ type: 'Undecided' });
  expect(await ownersOf('made')).toEqual([user, expect.not.stringMatching(user)]);
});

test('a key that was there before is not taken for the new one', async () => {
  await world.control.issueKey({ service: 'maps', name: 'held' });
  const { organization_id } = world.organization;
  const again = call('maps.keys.create', { organization_id, key_name: 'held' }, 'before');
  await expect(again).rejects.toMatchObject({ type: 'ApiError', message: expect.stringContaining('409') });
});

test.each(moments)('a dataset is removed where a second removal is a 404, its answer lost %s the effect', async (lost) => {
  await using strict = await createStepWorld();
  await strict.control.assume({ 'second-removal': 'not-found' });
  const { project_id } = await createProject(strict, 'removed');
  await strict.control.fault('maps.projects.remove', 1, { reset: lost });
  const removed = await strict.newRun().step('api.call', { operation: 'maps.projects.remove', input: { project_id } });
  expect(removed.output.result).toEqual({ result: 'ok' });
  expect((await strict.api.get(`/v1/project/${project_id}`)).status).toBe(404);
});

test('a dataset that nobody has seen is not removed already', async () => {
  const unknown = '6f9619ff-8b86-d011-b42d-00c04fc964ff';
  const input = { project_id: unknown };
  const refused = { type: 'ApiError', message: expect.stringContaining('404') };
  await expect(world.newRun().step('api.call', { operation: 'maps.projects.remove', input })).rejects.toMatchObject(refused);
  await expect(call('maps.projects.remove', input, 'before')).rejects.toMatchObject(refused);
});

test.each(moments)(
  'a deletion that the service does not report is committed, the answer of the update lost %s the effect',
  async (lost) => {
    await using silent = await createStepWorld();
    await silent.control.assume({ 'deletion-version': 'never' });
    const { project_id } = await createProject(silent, 'silent');
    await addRows(silent.api, project_id, 40);
    await silent.newRun().step('index.build', { dataset: project_id, embed: 'text' });
    const deletion = { project_id, datum_ids: ['row-1'] };
    await silent.newRun().step('api.call', { operation: 'maps.data.delete', input: deletion });
    await silent.control.fault('maps.indices.update', 1, { reset: lost });
    await silent.newRun().step('api.call', { operation: 'maps.indices.update', input: { project_id } });
    await expect.poll(async () => (await silent.api.get(`/v1/project/${project_id}`)).body.total_datums_in_project).toBe(39);
  },
);
