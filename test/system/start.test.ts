import { randomUUID } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { compile } from '../../pipelines/compile/compile.ts';
import type { RunInput, RunStart } from '../../pipelines/run-start.ts';
import { parse } from '../../pipelines/file/parse.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { runInput, startSettings } from '../../runs/start.ts';
import { stamp } from '../../text/units.ts';
import { workflowType, type RunView } from '../../workflows/messages.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const listing = `name: listing
steps:
  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }
finally:
  after: { use: api.call, with: { operation: maps.projects.list, input: {} } }
outputs: { run: "\${{ run.id }}" }
`;

const input = (start: Partial<RunStart> = {}): RunInput => {
  const compiled = compile(parse(listing), { steps, params: {}, baseDir: world.dir, connection: 'local' });
  if ('findings' in compiled) throw new Error(JSON.stringify(compiled.findings));
  const store = pathToFileURL(world.place.storeRoot).href;
  return runInput(compiled.plan, { store, baseDir: world.dir, host: hostname(), who: 'starter', connections: { maps: 'local' }, ...start });
};

const settings = () => startSettings(pathToFileURL(world.place.storeRoot).href);

const started = (start: Partial<RunStart> = {}) =>
  world.client.workflow.start(workflowType, { ...settings(), workflowId: randomUUID(), args: [input(start)] });

const lineOf = async (run: string): Promise<unknown> => {
  const { out } = await world.portolan(['runs', '--json', '--limit', '1000']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { run: string })
    .find((line) => line.run === run);
};

const recordOf = async (run: string): Promise<unknown> => JSON.parse(await readFile(join(world.place.storeRoot, run, 'run.json'), 'utf8'));

test('a run whose starter has done nothing but start it makes its id, its folder and its memo', async () => {
  const handle = await started();
  const { run, outputs } = (await handle.result()) as RunView;
  expect(run).toMatch(/^listing-\d{4}-\d\d-\d\d-[0-9a-f]{8}$/);
  expect(run.slice(-8)).toBe(handle.firstExecutionRunId.slice(-8));
  expect(outputs).toEqual({ run });
  expect(await recordOf(run)).toMatchObject({
    run,
    workflowId: handle.workflowId,
    firstRunId: handle.firstExecutionRunId,
    host: hostname(),
  });
  const { memo } = await handle.describe();
  expect(memo).toMatchObject({ run, pipeline: 'listing', startedBy: 'starter', connections: { maps: 'local' } });
  expect((await world.portolan(['status', run])).out).toContain('list');
  expect((await world.portolan(['why', run])).out).toContain(run);
});

test('what a Temporal Schedule starts is named by the time of its plan, and says which schedule started it', async () => {
  const id = `nightly-${randomUUID()}`;
  const schedule = await world.client.schedule.create({
    scheduleId: id,
    spec: { calendars: [{ hour: 3 }], timezone: 'UTC' },
    state: { paused: true },
    action: { type: 'startWorkflow', workflowType, workflowId: id, args: [input()], ...settings() },
  });
  await schedule.backfill({ start: new Date('2026-03-01T00:00:00Z'), end: new Date('2026-03-01T12:00:00Z'), overlap: 'ALLOW_ALL' });
  const fired = await vi.waitFor(async () => (await schedule.describe()).info.recentActions[0]!.action.workflow, 300_000);
  const view = (await world.client.workflow.getHandle(fired.workflowId).result()) as RunView;
  await schedule.delete();
  const origin = { schedule: id, at: '2026-03-01T03:00:00.000Z' };
  expect(view.run).toMatch(/^listing-2026-03-01-[0-9a-f]{8}$/);
  expect(await recordOf(view.run)).toMatchObject({ origin });
  await expect.poll(() => lineOf(view.run)).toMatchObject({ origin });
  expect((await world.portolan(['runs', '--limit', '1000'])).out).toContain(`starter by ${id} ${stamp(origin.at).slice(0, -3)}`);
});

const viewKept = async (run: string): Promise<unknown> => JSON.parse(await readFile(join(world.place.storeRoot, run, 'view.json'), 'utf8'));

test('a folder is one run’s: another one of the same id does nothing, and says so', async () => {
  const id = `listing-2026-01-01-${randomUUID().slice(0, 8)}`;
  await (await started({ id })).result();
  const before = await recordOf(id);
  const viewBefore = await viewKept(id);
  const { value, effects } = await world.effectsOf(async () => (await started({ id })).result().catch((error: unknown) => error));
  expect(value).toMatchObject({ cause: { type: 'RunExists', message: expect.stringContaining(`there is a run ${id} already`) } });
  expect(effects).toEqual([]);
  expect(await recordOf(id)).toEqual(before);
  expect(await viewKept(id)).toEqual(viewBefore);
});

test('a run begins where its run store is: one that is away is waited for, and a run cancelled by then has done nothing', async () => {
  const mark = join(world.place.storeRoot, 'store.json');
  const from = settings();
  const away = input();
  await rename(mark, `${mark}.away`);
  const start = () => world.client.workflow.start(workflowType, { ...from, workflowId: randomUUID(), args: [away] });
  const [waits, cancelled] = await Promise.all([start(), start()]);
  await expect.poll(async () => (await cancelled.fetchHistory()).events?.length ?? 0).toBeGreaterThan(3);
  const { value, calls } = await world.callsOf(async () => {
    await cancelled.cancel();
    return cancelled.result().catch((error: unknown) => error);
  });
  expect(value).toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(calls).toEqual([]);
  await rename(`${mark}.away`, mark);
  expect(await waits.result()).toMatchObject({ state: 'done' });
});
