import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepValue } from '../../store/kept-values.ts';
import { createProject } from '../service/world.ts';
import { finished } from './finished.ts';
import { createStepWorld, type StepWorld } from './step-world.ts';

const waits = { type: 'Unavailable', nonRetryable: false, message: expect.stringContaining('mount it, or put it back') };
const rows = (n: number) => Array.from({ length: 4 }, (_, at) => ({ key: `k${at}`, n: n + at }));

/** Takes the run store away while a call is held, and gives it back when the work that made the call has ended. */
async function withoutStore<T>(world: StepWorld, operation: string, work: () => Promise<T>): Promise<void> {
  const store = join(world.dir, '.portolan', 'runs');
  const { id } = await world.control.fault(operation, 1, { hold: 'after' });
  const ended = work().then(
    () => 'ended well',
    (error: unknown) => error,
  );
  expect(await world.control.held(id)).toBe(true);
  await rename(store, `${store}.away`);
  await world.control.release(id);
  expect(await ended).toMatchObject(waits);
  expect(existsSync(store)).toBe(false);
  await rename(`${store}.away`, store);
}

test('an upload whose run store is gone when the service has ended it waits for the store, begins no other, and ends well', async () => {
  await using world = await createStepWorld();
  const { project_id: dataset } = await createProject(world, 'uploaded', { unique_id_field: 'key' });
  const run = world.newRun();
  const args = run.argsOf('dataset.upload', { dataset, source: await world.table(rows(0)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.upload', 'prepare', args);
  await run.attempt('dataset.upload', 'main', { ...args, state, chunk: 0 });
  const finish = (): Promise<unknown> => run.attempt('dataset.upload', 'finish', { ...args, state, counts: {} });
  await withoutStore(world, 'maps.uploads.complete', finish);
  expect(await finish()).toMatchObject({ added: 4 });
});

test('rows whose files are gone with the run store wait for it, and are replaced', async () => {
  await using world = await createStepWorld([], { batch: { rows: 2 } });
  const { project_id: dataset } = await createProject(world, 'replaced', { unique_id_field: 'key' });
  const input = async (n: number) => ({ dataset, source: await world.table(rows(n)), id: { column: 'key' }, onChange: 'replace' });
  await world.newRun().step('dataset.append', await input(0));
  const run = world.newRun();
  const args = run.argsOf('dataset.append', await input(10), { approved: true });
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  for (const chunk of [0, 1]) await run.attempt('dataset.append', 'main', { ...args, state, chunk });
  const finish = () => finished(() => run.attempt('dataset.append', 'finish', { ...args, state, counts: { replaced: 4 } }));
  await withoutStore(world, 'maps.data.addArrow', finish);
  expect(await finish()).toMatchObject({ replaced: 4 });
});

test('rows whose deletion was ordered are not deleted again behind the order that commits it', async () => {
  await using world = await createStepWorld();
  const { project_id: dataset } = await createProject(world, 'committed', { unique_id_field: 'key' });
  const input = async (n: number) => ({ dataset, source: await world.table(rows(n)), id: { column: 'key' }, onChange: 'replace' });
  await world.newRun().step('dataset.append', await input(0));
  // Known from here on: the service offers updates.
  await world.newRun().step('dataset.append', await input(10), { approved: true });
  const run = world.newRun();
  const args = run.argsOf('dataset.append', await input(20), { approved: true });
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  await run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  const finish = () => finished(() => run.attempt('dataset.append', 'finish', { ...args, state, counts: { replaced: 4 } }));
  const deletions = async (): Promise<number> =>
    (await world.control.journal(dataset)).rows.filter(({ operation }) => operation === 'maps.data.delete').length;
  await withoutStore(world, 'maps.indices.update', finish);
  const ordered = await deletions();
  expect(ordered).toBeGreaterThan(0);
  expect(await finish()).toMatchObject({ replaced: 4 });
  expect(await deletions()).toBe(ordered);
});

test('a chunk that begins while the run store is away waits for it, and is sent when it is back', async () => {
  await using world = await createStepWorld();
  const { project_id: dataset } = await createProject(world, 'chunks', { unique_id_field: 'key' });
  const run = world.newRun();
  const args = run.argsOf('dataset.append', { dataset, source: await world.table(rows(0)), id: { column: 'key' } });
  const { state } = await run.attempt('dataset.append', 'prepare', args);
  const chunk = () => run.attempt('dataset.append', 'main', { ...args, state, chunk: 0 });
  const folder = join(world.dir, '.portolan', 'runs');
  await rename(folder, `${folder}.away`);
  await expect(chunk()).rejects.toMatchObject({ ...waits, nextRetryDelay: expect.any(Number) });
  expect(existsSync(folder)).toBe(false);
  await rename(`${folder}.away`, folder);
  expect(await chunk()).toMatchObject({ added: 4 });
});

test('an expression that reads a value of the run store waits for the store', async () => {
  await using world = await createStepWorld();
  const { store: kept, evaluate } = world.newRun();
  const text = 'x'.repeat(5_000);
  const value = await keepValue(kept, { text });
  const folder = join(world.dir, '.portolan', 'runs');
  await rename(folder, `${folder}.away`);
  await expect(evaluate('${{ size(steps.a.text) }}', { a: value })).rejects.toMatchObject(waits);
  await rename(`${folder}.away`, folder);
  expect(await evaluate('${{ size(steps.a.text) }}', { a: value })).toBe(5_000);
});
