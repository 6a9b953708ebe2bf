import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exit } from '../../cli/frame/exit.ts';
import type { Terminal } from '../../cli/frame/terminal.ts';
import type { Document } from '../../cli/json/documents.ts';
import type { Project } from '../../cli/project/project.ts';
import { waitForRuns } from '../../cli/schedule/wait-for-runs.ts';
import { findRun } from '../../runs/find.ts';
import { listRuns } from '../../runs/list.ts';
import { findRunOrNewest, findRunOrOpen } from '../../runs/newest.ts';
import { gapsIn } from '../../runs/schedule/gaps.ts';
import { readOverview } from '../../runs/schedule/overview.ts';
import { findSchedule } from '../../runs/schedule/read.ts';
import { useWorld } from './support.ts';

const here = useWorld();
const elsewhere = useWorld();

const asks = 'name: asks\nsteps:\n  ask: { use: gate.approve, with: { expires: 1h } }\n';

test('without an id no run of another project is meant, whether it is newer or the only one that is open', async () => {
  const own = await here.start('name: ends\nsteps:\n  never: { use: gate.approve, when: false, with: {} }\n');
  await here.ended(own);
  const foreign = await elsewhere.start(asks);
  await elsewhere.until(foreign, ({ view }) => view.state === 'approval');
  expect((await findRunOrNewest(here.place)).run).toBe(own);
  await expect(findRunOrOpen(here.place)).rejects.toThrow('no run is open');
  expect((await findRunOrOpen(elsewhere.place)).run).toBe(foreign);
  await elsewhere.portolan(['cancel', foreign]);
  await elsewhere.ended(foreign);
});

test('the newest run is the one whose folder is there, also while the list of the cluster does not name it yet', async () => {
  const older = await here.start('name: older\nsteps:\n  never: { use: gate.approve, when: false, with: {} }\n');
  await here.ended(older);
  const newer = await here.start(asks);
  await here.until(newer, ({ view }) => view.state === 'approval');
  const { client } = here.place;
  async function* behind() {
    for await (const info of client.workflow.list()) if (info.memo?.['run'] !== newer) yield info;
  }
  const workflow = new Proxy(client.workflow, {
    get: (of, key) => (key === 'list' ? behind : (Reflect.get(of, key, of) as unknown)),
  });
  const late = {
    ...here.place,
    client: new Proxy(client, { get: (of, key) => (key === 'workflow' ? workflow : (Reflect.get(of, key, of) as unknown)) }),
  };
  expect((await listRuns(late, { limit: 1, store: here.place.storeRoot })).map(({ run, state }) => [run, state])).toEqual([
    [newer, 'approval'],
  ]);
  await here.portolan(['cancel', newer]);
  await here.ended(newer);
});

test('a run is found by the cluster where the disk does not give the run store', async () => {
  const run = await here.start('name: ends\nsteps:\n  never: { use: gate.approve, when: false, with: {} }\n');
  await here.ended(run);
  // No folder: nothing can be read in it.
  const lost = { ...here.place, storeRoot: await here.write('lost', '') };
  await expect.poll(async () => (await findRun(lost, run).catch(() => undefined))?.run).toBe(run);
  expect((await listRuns(lost, { limit: Infinity })).map((line) => line.run)).toContain(run);
  await expect(findRun({ storeRoot: lost.storeRoot }, run)).rejects.toThrow('ENOTDIR');
  // What neither has may stand where nothing can be read.
  await expect(findRun(lost, 'another')).rejects.toThrow('ENOTDIR');
});

test('a schedule has no runs of another project’s schedule of its name: a time that only that one has run is a gap', async () => {
  const name = 'daily';
  const text = `name: ${name}\nconnection: local\nschedule: { cron: "30 2 * * *", timezone: UTC }\nsteps:\n  never: { use: gate.approve, when: false, with: {} }\n`;
  for (const world of [here, elsewhere]) {
    const file = await world.write(`pipelines/${name}.yaml`, text);
    expect(await world.portolan(['schedule', 'apply', file, '--yes'])).toMatchObject({ code: 0 });
    await world.portolan(['schedule', 'pause', name]);
  }
  const backfill = ['schedule', 'backfill', name, '--from', '2026-03-02', '--to', '2026-03-03', '--yes', '--wait'];
  expect(await elsewhere.portolan(backfill)).toMatchObject({ code: 0 });

  const at = '2026-03-02T02:30:00.000Z';
  const runs = async (world: typeof here) =>
    (JSON.parse((await world.portolan(['schedule', 'show', name, '--json'])).out) as Document<'schedule'>).runs!.length;
  // The list of the cluster names the run.
  await expect.poll(() => runs(elsewhere)).toBe(1);
  expect(await runs(here)).toBe(0);
  const state = await findSchedule(here.place, name);
  const since = { ...state, createdAt: '2026-03-02T00:00:00.000Z' };
  const { past } = await readOverview(here.place, since, Date.parse('2026-03-03T00:00:00Z'));
  expect(gapsIn(past)).toMatchObject([{ from: at, count: 1, why: { 'never run': 1 } }]);

  // Nor is what is waited for over with a run of the other one.
  const stopped = new AbortController();
  const said: string[] = [];
  const err = (line: string): void => {
    said.push(line);
    stopped.abort();
  };
  const terminal = { err } as unknown as Terminal;
  const asked = { due: [at], before: new Set<string>(), overlap: 'skip' } as const;
  const { code } = await waitForRuns({ terminal, signal: stopped.signal }, { place: here.place } as Project, state, asked);
  expect([code, said[0]]).toEqual([exit.interrupted, '0 of 1 over\n']);

  // Its own are found wherever the project sees its run store: by a link to it, with a slash behind its name.
  const link = join(elsewhere.dir, 'linked-runs');
  await symlink(elsewhere.place.storeRoot, link);
  for (const storeRoot of [link, `${elsewhere.place.storeRoot}/`]) {
    const place = { ...elsewhere.place, storeRoot };
    const theirs = await findSchedule(place, name);
    const waited = await waitForRuns({ terminal, signal: AbortSignal.timeout(300_000) }, { place } as Project, theirs, asked);
    expect([waited.code, waited.runs.length]).toEqual([exit.done, 1]);
  }
  const { storeRoot } = elsewhere.place;
  // Since a time only the cluster is asked, which knows the path without the slash.
  expect((await listRuns(elsewhere.place, { schedule: name, store: `${storeRoot}/`, since: new Date(0) })).length).toBe(1);
  for (const world of [here, elsewhere]) await world.portolan(['schedule', 'delete', name, '--yes']);
});
