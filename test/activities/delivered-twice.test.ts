import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRows, createProject, indexOrder } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await createStepWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const twice = (operation: string) => world.control.fault(operation, 1, { duplicate: 'delivery' });
const inconclusive = (message: RegExp) => ({ type: 'Inconclusive', nonRetryable: true, message: expect.stringMatching(message) });

test('a dataset whose creation was delivered twice ends the step as inconclusive, and both are named', async () => {
  await twice('maps.projects.create');
  const found = world.newRun().step('dataset.ensure', { slug: 'twins' });
  await expect(found).rejects.toMatchObject(inconclusive(/^maps\.projects\.create was sent once, and 2 were made since \(.{36}, .{36}\)/));
});

test('an attempt whose look at what was made failed leaves it to the next one', async () => {
  const run = world.newRun();
  await twice('maps.projects.create');
  await world.control.fault('maps.projects.list', 2, { reset: 'before' });
  await expect(run.step('dataset.ensure', { slug: 'lost-twins' })).rejects.toMatchObject(inconclusive(/2 were made since/));
});

test.each<[string, () => Promise<object>]>([
  ['maps.projects.create', async () => ({ organization_id: world.organization.organization_id, project_name: 'Two of me' })],
  ['maps.organizations.create', async () => ({ nickname: 'Two of us' })],
])('%s by api.call as well', async (operation, input) => {
  await twice(operation);
  const called = world.newRun().step('api.call', { operation, input: await input() });
  await expect(called).rejects.toMatchObject(inconclusive(/sent once, and 2 were made since/));
});

test('datasets of that name that were there before do not count, for a later attempt either', async () => {
  await createProject(world, 'namesake', { slug: 'namesake-of-old' });
  // The first look is for what is there, the second for what was made.
  await world.control.fault('maps.projects.list', 2, { reset: 'before' });
  const { output } = await world.newRun().step('dataset.ensure', { slug: 'namesake' });
  expect(output).toMatchObject({ slug: 'namesake', created: true });
});

test('a map whose creation was delivered once more, and refused then, was built by the step and is not updated', async () => {
  const { project_id } = await createProject(world, 'refused-twin');
  await addRows(world.api, project_id, 40);
  await twice('maps.indices.create');
  const { value, calls } = await world.callsOf(() => world.newRun().step('index.build', { dataset: project_id }));
  expect(value.output).toMatchObject({ built: true, updated: false, points: 40 });
  expect(calls).not.toContain('maps.indices.update');
  expect((await world.api.get(`/v1/project/${project_id}`)).body.atlas_indices).toHaveLength(1);
});

test.each(['refused', 'existing'] as const)(
  'a map that another run has ordered meanwhile is taken where a second one of its name is %s',
  async (reading) => {
    const { project_id } = await createProject(world, `same-name-${reading}`);
    await addRows(world.api, project_id, 40);
    await world.control.assume({ 'same-index-name': reading });
    const { id } = await world.control.fault('maps.indices.create', 1, { hold: 'before' });
    const late = world.newRun().step('index.build', { dataset: project_id });
    await world.control.held(id);
    const { output } = await world.newRun().step('index.build', { dataset: project_id });
    await world.control.release(id);
    expect((await late).output).toMatchObject({ id: output.id, index: output.index, points: 40 });
    await world.control.assume();
  },
);

test('a dataset whose creation was answered to nobody is found behind the first page of the list, and one that stayed is no second', async () => {
  const { organization_id } = world.organization;
  for (let at = 0; at < 4; at++) await createProject(world, `page-${at}`);
  await world.control.assume({ 'project-list': 'first-page' });
  const call = (operation: string, input: object) =>
    world.newRun().step('api.call', { operation, input }, { approved: true }) as Promise<{ output: { body: { project_id: string } } }>;
  const named = async (): Promise<string[]> => {
    const { projects } = (await world.api.get(`/v1/organization/${organization_id}`)).body;
    return projects.flatMap(({ id, project_name }: Record<string, string>) => (project_name === 'Behind the page' ? [id] : []));
  };
  await world.control.fault('maps.projects.create', 1, { lose: 'answer' });
  await call('maps.projects.create', { organization_id, project_name: 'Behind the page' });
  expect(await named()).toHaveLength(1);
  await twice('maps.projects.create');
  await expect(call('maps.projects.create', { organization_id, project_name: 'Behind the page' })).rejects.toMatchObject(
    inconclusive(/2 were made since/),
  );
  await world.control.assume();
});

test('two maps of one mark end a build as inconclusive', async () => {
  const { project_id } = await createProject(world, 'mapped-twice');
  await addRows(world.api, project_id, 40);
  const run = world.newRun();
  const args = run.argsOf('index.build', { dataset: project_id });
  const { token } = await run.attempt('index.build', 'main', args);
  const indices = async (): Promise<{ id: string; index_name: string; projections: { ready: boolean }[] }[]> =>
    (await world.api.get(`/v1/project/${project_id}`)).body.atlas_indices;
  const built = async (): Promise<boolean> => (await indices()).every(({ projections }) => projections.every(({ ready }) => ready));
  await expect.poll(built).toBe(true);
  const [{ index_name } = { index_name: '' }] = await indices();
  const order = indexOrder(project_id, { index_name, indexed_field: null, model: null, projection_hyperparameters: '{"model":"random"}' });
  expect((await world.api.post('/v1/project/index/create', order)).status).toBe(200);
  await expect(run.attempt('index.build', 'check', { ...args, token })).rejects.toMatchObject(inconclusive(/^2 maps of the same mark/));
});

test('a dataset that was given another slug stays, is named, and no further run makes another', async () => {
  await world.control.assume({ 'removed-slug': 'held' });
  const { output } = await world.newRun().step('dataset.ensure', { slug: 'held' });
  await world.api.post('/v1/project/remove', { project_id: output.id });
  const named = async (): Promise<{ id: string; slug: string }[]> =>
    (await world.api.get('/v1/project/')).body.projects.filter((each: { project_name: string }) => each.project_name === 'held');
  const refusal = { type: 'ServiceFailed', message: expect.stringContaining("the slug 'held-2' instead of 'held'") };
  for (let run = 0; run < 2; run++) {
    await expect(world.newRun().step('dataset.ensure', { slug: 'held' })).rejects.toMatchObject(refusal);
    expect(await named()).toHaveLength(1);
  }
  await world.api.post('/v1/project/remove', { project_id: (await named())[0]!.id });
  await world.control.assume();
  const { output: made } = await world.newRun().step('dataset.ensure', { slug: 'held' });
  expect(made).toMatchObject({ slug: 'held', created: true });
});
