import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputHash } from '../../pipelines/input-hash.ts';
import { planOf } from '../pipelines/support.ts';
import { createProject } from '../service/world.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';
import { printName } from '../../pipelines/source-name.ts';

let world: StepWorld;
let dataset_id: string;
beforeAll(async () => {
  world = await createStepWorld();
  dataset_id = (await createProject(world)).project_id;
});
afterAll(() => world[Symbol.asyncDispose]());

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A run's step that sends files by `api.call`, planned as a pipeline's file says it, and what was seen of them when it began. */
async function planned(name: string, text: string, more = '') {
  const path = join(world.dir, name);
  await writeFile(path, text);
  const plan = planOf(
    `name: forms\nsteps:\n  add:\n    use: api.call\n    with: { operation: maps.blobs.add, input: { dataset_id: ${dataset_id}, blobs: [{ file: ${name} }, "as text"${more}] } }\n`,
    { baseDir: world.dir },
  );
  const run = world.newRun();
  const sources = await run.inspect(plan.sources);
  return { path, print: printName(plan.sources[0]!), plan, sources, add: () => run.step('api.call', plan.steps[0]!.with, { sources }) };
}

test('a file of a form is named in the pipeline: its path is resolved, its bytes are looked at before the run and sent as they are', async () => {
  const { path, print, plan, sources, add } = await planned('picture', 'bytes of a picture');
  expect(plan.sources).toEqual([{ step: 'add', field: 'input.blobs.0', path, raw: true }]);
  expect(sources[print]!.sha256).toBe(hashOf('bytes of a picture'));
  expect((await add()).output.result).toEqual({ hashes: [hashOf('bytes of a picture'), hashOf('as text')] });
});

test('its bytes are part of what its step stands on: a rerun with others does the step again', async () => {
  const { print, plan, sources } = await planned('hashed', 'these');
  const [step] = plan.steps;
  const hashWith = (sha256: string): string => inputHash(step!, step!.with, plan, { [print]: { sha256 } }, 'run');
  expect(hashWith(sources[print]!.sha256)).not.toBe(hashWith(hashOf('others')));
});

test('one that changed since is refused', async () => {
  const { path, add } = await planned('changing', 'first');
  await writeFile(path, 'second');
  await expect(add()).rejects.toMatchObject({ type: 'BadInput', message: expect.stringContaining('changed since the run started') });
});

test('one that was not named before the run is refused, whatever stands in it', async () => {
  const { path, plan } = await planned('unnamed', 'x');
  const added = world.newRun().step('api.call', plan.steps[0]!.with, { sources: {} });
  await expect(added).rejects.toMatchObject({ type: 'BadInput', message: expect.stringContaining(`${path} was not named before the run`) });
});
