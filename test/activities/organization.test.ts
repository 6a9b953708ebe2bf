import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStepWorld, type StepWorld } from './step-world.ts';

/** Adds an organization of the user; returns its id. */
const organization = async (world: StepWorld, nickname: string): Promise<string> =>
  (await world.api.post('/v1/organization/create', { nickname })).body.organization_id;

/** Makes the dataset and returns what the step says and its organization. */
async function ensured(world: StepWorld, slug: string) {
  const { output } = await world.newRun().step('dataset.ensure', { slug });
  const { owner } = (await world.api.get(`/v1/project/${output.id}`)).body;
  return { created: output.created as boolean, owner: owner as string };
}

test('a dataset goes to the organization that the connection names, by slug or by name', async () => {
  for (const name of ['second-of-two', 'Second of Two']) {
    await using world = await createStepWorld([], { organization: name });
    const second = await organization(world, 'Second of Two');
    expect(await ensured(world, 'named')).toEqual({ created: true, owner: second });
  }
});

test('where none is named it goes to the default of the user, not to the user’s own', async () => {
  await using world = await createStepWorld();
  const { id: user } = await world.control.addUser({ name: 'guest', email: 'guest@example.org' });
  await writeFile(join(world.dir, 'key'), (await world.control.issueKey({ service: 'maps', name: 'guest', user })).key);
  expect(await ensured(world, 'shared')).toEqual({ created: true, owner: world.organization.organization_id });
});

test('a dataset of the same slug in another organization is not taken for the one that is asked for', async () => {
  await using world = await createStepWorld([], { organization: 'mine' });
  const [theirs, mine] = [await organization(world, 'theirs'), await organization(world, 'mine')];
  const project = { organization_id: theirs, project_name: 'same', slug: 'same', unique_id_field: 'id' };
  expect((await world.api.post('/v1/project/create', project)).status).toBe(201);
  // By this refusal nothing is known, so that the caller's list of datasets decides.
  await world.control.assume({ 'unknown-slug': 'forbidden' });
  expect(await ensured(world, 'same')).toEqual({ created: true, owner: mine });
  expect(await ensured(world, 'same')).toEqual({ created: false, owner: mine });
});
