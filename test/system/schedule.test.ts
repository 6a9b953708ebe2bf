import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import type { Document } from '../../cli/json/documents.ts';
import type { RunLine } from '../../runs/list.ts';
import { readRun } from '../../runs/view.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { workflowType } from '../../workflows/messages.ts';
import { gapsIn } from '../../runs/schedule/gaps.ts';
import { scheduleId } from '../../runs/schedule/id.ts';
import { readOverview } from '../../runs/schedule/overview.ts';
import { schedule as scheduleOf } from '../../pipelines/file/schedule.ts';
import { previewSchedule } from '../../runs/schedule/preview.ts';
import { findSchedule } from '../../runs/schedule/read.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** A pipeline that says for which time it runs. */
const windowed = (name: string, schedule: string, limit = 5): string => `name: ${name}
connection: local
params: { limit: { type: integer, default: ${limit} } }
schedule: ${schedule}
steps:
  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }
outputs:
  limit: \${{ params.limit }}
  due: \${{ run.scheduledAt }}
  from: \${{ run.window.from }}
  to: \${{ run.window.to }}
`;

/** A pipeline whose runs delete what its source no longer has. */
const deleting = (name: string): string => `name: ${name}
params: { source: { type: path } }
schedule: { cron: "30 2 * * *", timezone: UTC }
steps:
  dataset: { use: dataset.ensure, with: { slug: ${name}, idField: key } }
  equal: { use: dataset.mirror, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: key } } }
`;

test('apply says which acts no one has approved, and its hint is the whole command', async () => {
  const name = newName('equal');
  await world.write('equal films.json', [{ key: 'a' }]);
  const path = await world.write(`pipelines/${name}.yaml`, deleting(name));
  const line = [path, '-c', 'local', '-p', 'source=equal films.json'];
  const { out, err } = await schedule('apply', ...line);
  expect(err).toBe('');
  expect(out).toMatch(/^equal fails in a run where it would act: .*not approved: by a gate, or --accept equal/m);
  expect(out).toContain(`portolan schedule apply ${path} -c local -p 'source=equal films.json' --yes`);
  const accepted = (await schedule('apply', ...line, '--accept', 'equal')).out;
  expect(accepted).not.toContain('not approved');
  expect(accepted).toContain('--accept equal --yes');
});

test('of several files none is applied where one has a mistake', async () => {
  const [good, bad] = [newName('good'), newName('bad')];
  const [first, second] = [good, bad].map((name) => windowed(name, '{ every: 1h, window: hour }'));
  const paths = [
    await world.write(`pipelines/${good}.yaml`, first!),
    await world.write(`pipelines/${bad}.yaml`, second!.replace('api.call', 'api.cal')),
  ];
  expect(await schedule('apply', ...paths, '--yes')).toMatchObject({ code: 2, err: expect.stringContaining('api.cal') });
  expect(await schedule('show', good)).toMatchObject({ code: 2 });
});

const newName = (what: string): string => `${what}-${randomUUID().slice(0, 8)}`;

const schedule = async (...argv: string[]) => world.portolan(['schedule', ...argv]);

const document = async <N extends 'applied' | 'schedule' | 'steered'>(...argv: string[]): Promise<Document<N>> => {
  const { code, out, err } = await schedule(...argv, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Document<N>;
};

const file = (name: string, ...more: [string, number?]): Promise<string> => world.write(`pipelines/${name}.yaml`, windowed(name, ...more));

/** The runs of a schedule once there are so many and all have ended, by when they were due. */
const runsOf = async (name: string, count: number): Promise<RunLine[]> => {
  let runs: RunLine[] = [];
  await expect
    .poll(async () => {
      ({ runs = [] } = (await document<'schedule'>('show', name)) as { runs?: RunLine[] });
      return runs.filter(({ endedAt }) => endedAt).length;
    })
    .toBe(count);
  return runs.toSorted((a, b) => (a.time!.scheduledAt < b.time!.scheduledAt ? -1 : 1));
};

test('nothing is at the server before --yes; then it starts runs whose windows are those of their times, across a change of the clocks', async () => {
  const name = newName('daily');
  const path = await file(name, '{ cron: "30 2 * * *", timezone: Europe/Madrid, overlap: allowAll, window: day }');
  const shown = await schedule('apply', path);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('nothing was applied') });
  expect(await schedule('show', name)).toMatchObject({ code: 2, err: expect.stringContaining(`there is no schedule '${name}'`) });

  const applied = await document<'applied'>('apply', path, '--yes');
  expect(applied).toMatchObject({ name, is: 'new', applied: true, changes: [] });
  expect(applied.next).toHaveLength(5);
  const {
    code,
    err,
    out: said,
  } = await schedule('backfill', name, '--from', '2026-03-28', '--to', '2026-03-31', '--yes', '--wait', '--json');
  expect([code, err.endsWith('2 of 2 over\n')]).toEqual([0, true]);
  const runs = await runsOf(name, 2);
  const made = JSON.parse(said) as Document<'steered'>;
  expect(made.due).toEqual(runs.map(({ time }) => time));
  expect(made.runs!.map(({ run, state, time }) => [run, state, time]).toReversed()).toEqual(
    runs.map(({ run, time }) => [run, 'done', time]),
  );
  expect(runs.map(({ time }) => time)).toEqual([
    // The clocks skip 02:30 of the 29th, whose windows are asked for by hand.
    { scheduledAt: '2026-03-28T01:30:00.000Z', window: { from: '2026-03-26T23:00:00.000Z', to: '2026-03-27T23:00:00.000Z' } },
    { scheduledAt: '2026-03-30T00:30:00.000Z', window: { from: '2026-03-28T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z' } },
  ]);
  expect(runs[0]).toMatchObject({ state: 'done', origin: { schedule: name, at: '2026-03-28T01:30:00.000Z' } });
  expect(runs[0]!.run).toMatch(new RegExp(`^${name}-2026-03-28-`));
  const { out } = await world.portolan(['status', runs[1]!.run, '--json']);
  expect((JSON.parse(out) as { outputs: object }).outputs).toEqual({
    limit: 5,
    due: '2026-03-30T00:30:00.000Z',
    from: '2026-03-28T23:00:00.000Z',
    to: '2026-03-29T22:00:00.000Z',
  });
  // On its page a mark stands where the clocks were put forward; of the time that they skip nothing else reads the window.
  await schedule('report', name);
  const page = await readFile(join(world.place.storeRoot, 'schedules.html'), 'utf8');
  expect(page).toMatch(
    /title="2026-03-28 02:30 \+01:00: done[^"]*">✓<\/i><u title="clocks went forward 60 min before 2026-03-29 03:30 \+02:00">/,
  );
  expect(page).toContain('<i class="none" title="2026-03-29 03:30 +02:00: left out when clocks changed">!</i>');
  expect(page).toMatch(/Changes of the clocks[^]*<td>forward 60 min<\/td><td>no run at 02:30; no run reads 2027-03-27 00:00 /);
  expect((await schedule('delete', name, '--yes')).out).toContain('is deleted');
});

test('a backfill that is waited for ends with what the runs that failed have in common', async () => {
  const name = newName('equal');
  const source = `${name}.json`;
  await world.write(source, [{ key: 'a' }, { key: 'b' }]);
  const equal = deleting(name)
    .replace('dataset.mirror,', `dataset.mirror, when: "\${{ run.scheduledAt < '2026-03-04' }}",`)
    .replace('{ column: key }', '{ column: key }, deletes: { max: 50% }');
  const gone = `{ operation: maps.projects.get, input: { project_id: ${randomUUID()} } }`;
  const path = await world.write(
    `pipelines/${name}.yaml`,
    `${equal}  other: { use: api.call, when: "\${{ run.scheduledAt > '2026-03-04' }}", with: ${gone} }\n`,
  );
  const line = [path, '-c', 'local', '-p', `source=${source}`];
  expect(await world.portolan(['run', ...line, '--at', '2026-03-01'])).toMatchObject({ code: 0 });
  await world.write(source, [{ key: 'a' }]);
  expect(await schedule('apply', ...line, '--yes')).toMatchObject({ code: 0 });
  const backfill = async (from: string, to: string) => schedule('backfill', name, '--from', from, '--to', to, '--yes', '--wait');
  const two = await backfill('2026-03-02', '2026-03-04');
  expect([two.code, two.err.match(/ failed: portolan why /g)]).toEqual([3, Array(2).fill(' failed: portolan why ')]);
  // The run of the second day fails otherwise.
  expect(await backfill('2026-03-03', '2026-03-05')).toMatchObject({ code: 1 });
  expect((await schedule('delete', name, '--yes')).out).toContain('is deleted');
});

test('offset, jitter and catchUp of the file are those of the schedule at the server', async () => {
  const name = newName('spread');
  await schedule('apply', await file(name, '{ every: 1h, offset: 5m, catchUp: 2h, jitter: 30s, window: hour }'), '--yes');
  const { spec, policies } = await world.client.schedule.getHandle(scheduleId(world.place.storeRoot, name)).describe();
  expect([spec.intervals, spec.jitter, policies.catchupWindow]).toEqual([[{ every: 3_600_000, offset: 300_000 }], 30_000, 7_200_000]);
  await schedule('delete', name, '--yes');
});

test('a jitter that is as long as what lies between two runs of a cron line is refused before anything is at the server', async () => {
  const name = newName('apart');
  const path = await file(name, '{ cron: "0,10 * * * *", jitter: 10m, window: hour }');
  const { code, err } = await schedule('apply', path, '--yes');
  expect([code, err]).toEqual([2, expect.stringMatching(/jitter 10m is not shorter than the 10 min between two runs.*\n.*shorter jitter/)]);
  expect(await schedule('show', name)).toMatchObject({ code: 2 });
});

test('a file that was edited is newer than what is scheduled until it is applied; what differs is named', async () => {
  const name = newName('edited');
  const path = await file(name, '{ every: 12h, window: day }');
  await document<'applied'>('apply', path, '-p', 'limit=5', '--yes');
  expect(await document<'schedule'>('show', name)).toMatchObject({ file_is: 'same', paused: false });
  expect(await document<'applied'>('apply', path, '--yes')).toMatchObject({ is: 'same', applied: false, changes: [] });

  // A name that there is not is a wrong one in the command, which then does nothing.
  for (const verb of ['pause', 'resume', 'delete', 'report'])
    expect(await schedule(verb, name, `${name}x`)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`did you mean '${name}'?`),
    });
  for (const verb of [['show'], ['trigger'], ['backfill', '--from', '2026-03-28', '--to', '2026-03-31']])
    expect(await schedule(...verb, `${name}x`)).toMatchObject({ code: 2, err: expect.stringContaining(`did you mean '${name}'?`) });
  expect(await document<'schedule'>('show', name)).toMatchObject({ paused: false });

  await schedule('pause', name, '--note', 'the source moves');
  await file(name, '{ every: 6h, offset: 5m, window: day }', 7);
  expect(await document<'schedule'>('show', name)).toMatchObject({
    file_is: 'edited',
    paused: true,
    note: 'tester: the source moves',
    schedule: { every: '12h' },
    changes: expect.arrayContaining([{ at: 'schedule.every', from: '12h', to: '6h' }]),
  });
  // Both say what differs, and how to apply it as it was applied.
  const listed = (await schedule('list')).out;
  expect(listed).toMatch(new RegExp(`${name} +paused .*older than its file`));
  const differs = `${name} is older than its file: portolan schedule apply ${relative(world.dir, path)} -p limit=5 --yes\n  ~ schedule.every: 12h → 6h\n`;
  expect(listed).toContain(differs);
  expect((await schedule('show', name)).out).toContain(differs);
  const byHand = (): ReturnType<typeof world.portolan> => world.portolan(['run', path, '--at', '2026-01-31', '--detach']);
  const older = `schedule ${name} is older than this file and goes on as it was`;
  expect(await byHand()).toMatchObject({ code: 0, err: expect.stringContaining(older) });
  const { changes } = await document<'applied'>('apply', path, '--yes');
  expect(changes).toEqual([
    { at: 'schedule.every', from: '12h', to: '6h' },
    { at: 'schedule.offset', to: '5m' },
    { at: 'params.limit', from: 5, to: 7 },
    { at: 'outputs.limit', from: 5, to: 7 },
  ]);
  expect(await byHand()).toMatchObject({ code: 0, err: expect.not.stringContaining(older) });
  // What was paused stays so, and what it starts is the new plan.
  expect(await document<'schedule'>('show', name)).toMatchObject({
    file_is: 'same',
    paused: true,
    note: 'tester: the source moves',
    schedule: { every: '6h', offset: '5m' },
  });

  await writeFile(path, (await readFile(path, 'utf8')).replace('every: 6h', 'every: 6 hours'));
  expect(await document<'schedule'>('show', name)).toMatchObject({ file_is: 'unreadable', why: expect.stringContaining('every') });
  await rm(path);
  expect(await document<'schedule'>('show', name)).toMatchObject({
    file_is: 'unreadable',
    why: expect.stringContaining('there is no file'),
  });
  await schedule('delete', name, '--yes');
});

test('where the run store was moved a schedule is older than that, until it is applied again', async () => {
  const name = newName('moved');
  const path = await file(name, '{ every: 12h, window: day }');
  await document<'applied'>('apply', path, '--yes');
  await schedule('pause', name);
  const { storeRoot } = world.place;
  const moved = join(world.dir, 'moved');
  const config = join(world.dir, 'portolan.config.mts');
  const before = await readFile(config, 'utf8');
  await mkdir(moved);
  await copyFile(join(storeRoot, 'store.json'), join(moved, 'store.json'));
  await writeFile(config, 'export default { store: "moved" };\n');
  const changes = [{ at: 'store', from: pathToFileURL(storeRoot).href, to: pathToFileURL(moved).href }];
  expect(await document<'schedule'>('show', name)).toMatchObject({ file_is: 'edited', changes });
  expect(await document<'applied'>('apply', path, '--yes')).toMatchObject({ is: 'changed', applied: true, changes });
  expect(await document<'schedule'>('show', name)).toMatchObject({ file_is: 'same' });
  await schedule('delete', name, '--yes');
  await writeFile(config, before);
});

test('a triggered run is one of the schedule, and the clock fires it by itself', async () => {
  const name = newName('often');
  const path = await file(name, '{ every: 1d, window: hour }');
  await document<'applied'>('apply', path, '--yes');
  const { run } = await document<'steered'>('trigger', name);
  const [line] = await runsOf(name, 1);
  expect(line).toMatchObject({ run, state: 'done', origin: { schedule: name } });
  expect((await world.portolan(['runs', '--limit', '1000'])).out).toMatch(new RegExp(`${run} .* tester by ${name} .*, window `));

  await file(name, '{ every: 2s, window: hour }');
  await document<'applied'>('apply', path, '--yes');
  await expect.poll(async () => (await document<'schedule'>('show', name)).started).toBeGreaterThan(2);
  await schedule('delete', name, '--yes');
});

test('what is triggered while a run goes on is left out or kept, as overlap says; one that fails pauses the schedule', async () => {
  const name = newName('once');
  const asking = (more: string): string => `name: ${name}
schedule: { every: 1d, ${more} }
steps:
  ok: { use: gate.approve, with: { show: now } }
`;
  const state = () => document<'schedule'>('show', name);
  const path = await world.write(`pipelines/${name}.yaml`, asking('pauseOnFailure: true'));
  await document<'applied'>('apply', path, '--yes');
  const { run } = await document<'steered'>('trigger', name);
  await world.until(run!, ({ view }) => view.state === 'approval');
  expect(await schedule('trigger', name)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${name} has started nothing: a run of it goes on, and overlap is skip`),
  });
  expect(await state()).toMatchObject({ started: 1, overlapped: 1 });
  expect((await world.portolan(['reject', run!, 'ok'])).code).toBe(0);
  expect((await world.ended(run!)).view.state).toBe('failed');

  // The server sees the failure when it looks whether that run goes on.
  const { run: again } = await document<'steered'>('trigger', name);
  await expect.poll(async () => (await state()).paused).toBe(true);
  await world.until(again!, ({ view }) => view.state === 'approval');
  await world.portolan(['approve', again!, 'ok']);
  expect((await world.ended(again!)).view.state).toBe('done');

  // What is kept for later begins when the other one has ended.
  await writeFile(path, asking('overlap: bufferOne'));
  await document<'applied'>('apply', path, '--yes');
  const { run: first } = await document<'steered'>('trigger', name);
  await world.until(first!, ({ view }) => view.state === 'approval');
  expect(await document<'steered'>('trigger', name)).toEqual({ name, did: 'trigger', done: true });
  expect(await schedule('trigger', name)).toMatchObject({ code: 2 });
  expect((await world.portolan(['approve', first!, 'ok'])).code).toBe(0);
  await expect.poll(async () => (await state()).started).toBe(4);
  const { runs = [] } = await state();
  for (const { run: kept, endedAt } of runs) if (!endedAt) await world.portolan(['cancel', kept]);
  await schedule('delete', name, '--yes');
});

test('what is triggered several times at once runs as often, where overlap lets it', async () => {
  const name = newName('twice');
  const path = await world.write(
    `pipelines/${name}.yaml`,
    `name: ${name}\nschedule: { every: 1d, overlap: allowAll }\nsteps:\n  ok: { use: gate.approve, with: { show: now } }\n`,
  );
  await document<'applied'>('apply', path, '--yes');
  // Of three one after the other two are of one second.
  const runs = new Set<string>();
  for (let nth = 0; nth < 3; nth++) runs.add((await document<'steered'>('trigger', name)).run!);
  expect(runs.size).toBe(3);
  for (const run of runs) await world.until(run, ({ view }) => view.state === 'approval');
  for (const run of runs) await world.portolan(['cancel', run]);
  await schedule('delete', name, '--yes');
});

test('what is triggered to cancel the run that goes on is named once it has begun, or said to be kept where that takes long to end', async () => {
  const name = newName('cancels');
  const path = await world.write(
    `pipelines/${name}.yaml`,
    `name: ${name}
schedule: { every: 1d, overlap: cancelOther }
steps:
  ok: { use: gate.approve, with: { show: now } }
finally:
  last: { use: gate.approve, with: { show: now } }
`,
  );
  await document<'applied'>('apply', path, '--yes');
  const waits = (run: string, step: string) =>
    world.until(run, ({ view }) => view.steps.some(({ id, status }) => id === step && status === 'approval'));
  const { run: first } = await document<'steered'>('trigger', name);
  await waits(first!, 'ok');
  const second = document<'steered'>('trigger', name);
  await waits(first!, 'last');
  expect((await world.portolan(['approve', first!, 'last'])).code).toBe(0);
  const { run } = await second;
  expect(run).not.toBe(first);
  await waits(run!, 'ok');

  // Until the time of a start is over.
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const third = schedule('trigger', name);
    await waits(run!, 'last');
    vi.setSystemTime(Date.now() + 31_000);
    expect(await third).toMatchObject({ code: 0, out: `${name} has one run more to start, when the one that it cancels has ended\n` });
  } finally {
    vi.useRealTimers();
  }
  expect((await world.portolan(['approve', run!, 'last'])).code).toBe(0);
  await expect.poll(async () => (await document<'schedule'>('show', name)).started).toBe(3);
  await schedule('delete', name, '--yes');
});

test('a run by hand is given its time, or is refused where it needs one', async () => {
  const text = windowed(newName('by-hand'), '{ cron: "15 6 * * *", timezone: America/New_York, window: month }');
  const path = await world.pipeline(text);
  const refused = await world.portolan(['run', path, '--json']);
  expect(refused).toMatchObject({ code: 2, out: expect.stringContaining('missing-time') });
  const { result } = await world.run(text, {}, ['--at', '2026-03-08']);
  expect(result.outputs).toEqual({
    limit: 5,
    due: '2026-03-08T05:00:00.000Z',
    from: '2026-02-01T05:00:00.000Z',
    to: '2026-03-01T05:00:00.000Z',
  });
});

test('a page shows the times of a schedule so far, those without a run, and the next', async () => {
  const name = newName('looked');
  await schedule('apply', await file(name, '{ every: 10m, timezone: UTC, overlap: bufferAll, window: hour }'), '--yes');
  await schedule('pause', name);
  const before = new Date(Date.now() - 25 * 60_000).toISOString();
  const { code } = await schedule('backfill', name, '--from', before, '--to', new Date().toISOString(), '--yes', '--wait');
  expect(code).toBe(0);
  expect(await schedule('report', name)).toMatchObject({ code: 0, out: expect.stringMatching(/schedules\.html\n$/) });
  const page = await readFile(join(world.place.storeRoot, 'schedules.html'), 'utf8');
  expect(page).toContain(`paused</b> ${name}`);
  expect(page.match(/<i class="done"/g)!.length).toBeGreaterThan(1);
  expect(page).not.toContain('<i class="none"');

  // The local service shows the same page, written anew, with the way to its other pages.
  const answer = await fetch(`${world.url}/schedules`);
  const served = await answer.text();
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(served).toContain('<a href="/schedules" aria-current="page">');
  const sectionOf = (html: string): string | undefined =>
    /<section class="one">[^]*?<\/section>/g[Symbol.match](html)?.find((each) => each.includes(`</b> ${name}`));
  expect(sectionOf(served)).toBe(sectionOf(page));

  // An hour later nothing has run: it is paused.
  const later = await readOverview(world.place, await findSchedule(world.place, name), Date.now() + 3_660_000);
  const [gap, ...more] = gapsIn(later.past);
  expect(more).toEqual([]);
  expect(gap!.count).toBeGreaterThan(4);
  // Where runs of it are no longer known, what was due before the oldest known one began says nothing.
  const some = await readOverview(
    world.place,
    { ...(await findSchedule(world.place, name)), createdAt: '2026-01-01T00:00:00.000Z', started: 50 },
    Date.now() + 3_660_000,
  );
  expect(gapsIn(some.past).map(({ from }) => Date.parse(from) > Date.parse(before))).toEqual([true]);
  // Of one that is due each second the last times are shown, not the first of those that a server knows.
  const state = await findSchedule(world.place, name);
  const now = Date.now() + 3_660_000;
  const often = { ...state, createdAt: '2026-01-01T00:00:00.000Z', schedule: { ...state.schedule, every: '1s' } };
  const { past } = await readOverview(world.place, often, now);
  expect(now - Date.parse(past.at(-1)!.scheduledAt)).toBeLessThan(62_000);
  expect((await schedule('delete', name, '--yes')).code).toBe(0);
});

test('a run that has its folder is followed before the cluster knows its memo, as of one that a schedule has started this moment', async () => {
  const run = `memoless-2026-11-25-${randomUUID().slice(0, 8)}`;
  const { client } = world;
  // No worker takes it, so that nothing completes its memo.
  const handle = await client.workflow.start(workflowType, { taskQueue: run, workflowId: run, args: [] });
  try {
    const store = join(world.place.storeRoot, run);
    const { firstExecutionRunId: firstRunId } = handle;
    const record = { run, pipeline: 'memoless', workflowId: run, firstRunId, store, startedAt: new Date().toISOString() } as RunRecord;
    const location = { run, workflowId: run, firstRunId, store, record };
    expect(await readRun(world.place, location, { ask: false })).toMatchObject({ source: 'server', view: { state: 'running' } });
  } finally {
    await handle.terminate();
  }
});

test('a window whose run failed is a gap until it is made up for, or run again; what was triggered by hand and failed is none', async () => {
  const name = newName('failing');
  const path = await file(name, '{ every: 1d, window: day }');
  const good = await readFile(path, 'utf8');
  await writeFile(path, good.replace('maps.projects.list, input: {}', `maps.projects.get, input: { project_id: ${randomUUID()} }`));
  expect((await schedule('apply', path, '--no-check', '--yes')).code).toBe(0);
  const backfill = () => schedule('backfill', name, '--from', '2026-03-01', '--to', '2026-03-03', '--yes', '--wait');
  expect(await backfill()).toMatchObject({ code: 1 });
  expect(await schedule('trigger', name, '--wait')).toMatchObject({ code: 1 });
  const gaps = async () => {
    const { past } = await readOverview(world.place, await findSchedule(world.place, name), Date.now());
    return gapsIn(past).map(({ from, count, why }) => ({ from, count, why }));
  };
  await expect.poll(gaps).toEqual([{ from: '2026-03-01T00:00:00.000Z', count: 2, why: { failed: 2 } }]);

  await writeFile(path, good);
  const runs = await runsOf(name, 3);
  expect(await world.portolan(['rerun', runs[0]!.run, '--json'])).toMatchObject({ code: 0 });
  await expect.poll(gaps).toEqual([{ from: '2026-03-02T00:00:00.000Z', count: 1, why: { failed: 1 } }]);
  expect((await schedule('apply', path, '--yes')).code).toBe(0);
  expect(await backfill()).toMatchObject({ code: 0 });
  await expect.poll(gaps).toEqual([]);
  await schedule('delete', name, '--yes');
});

test('a window that is read at a time which the clocks skip is a gap, until a run by hand has read it', async () => {
  const name = newName('skipped');
  const path = await file(name, '{ cron: "30 2 * * *", timezone: Europe/Madrid, window: day }');
  await schedule('apply', path, '--yes');
  const backfill = (from: string, to: string) => schedule('backfill', name, '--from', from, '--to', to, '--yes', '--wait');
  const { code, out } = await backfill('2026-03-28', '2026-03-31');
  expect([code, out]).toEqual([0, expect.stringContaining('2 runs of')]);
  const at = '2026-03-29T01:30:00Z';
  expect(out).toContain(`no run reads 2026-03-28 00:00 +01:00 to 2026-03-29 00:00 +01:00: portolan run FILE --at ${at} does`);
  // Before the server had the schedule a change of the clocks in between says nothing.
  expect((await backfill('2025-03-28', '2025-03-29')).code).toBe(0);
  const gaps = async () => gapsIn((await readOverview(world.place, await findSchedule(world.place, name), Date.now())).past);
  const why = { 'left out when clocks changed': 1 };
  await expect.poll(gaps).toEqual([{ from: '2026-03-29T01:30:00.000Z', to: '2026-03-29T01:30:01.000Z', count: 1, why, leftOut: true }]);
  await schedule('report', name);
  const page = await readFile(join(world.place.storeRoot, 'schedules.html'), 'utf8');
  expect(page).toContain(`/pipelines/${name}.yaml -c local --at ${at}</code>`);

  expect((await world.portolan(['run', path, '-c', 'local', '--at', at])).code).toBe(0);
  await expect.poll(gaps).toEqual([]);
  await schedule('delete', name, '--yes');
});

test('a backfill whose runs end each other is over with the run of its last time, which takes the place of those before it', async () => {
  const name = newName('ending');
  await schedule('apply', await file(name, '{ every: 1d, window: day }'), '--yes');
  const { code, err } = await world.portolan(
    ['schedule', 'backfill', name, '--from', '2026-03-01', '--to', '2026-03-04', '--overlap', 'cancelOther', '--yes', '--wait'],
    { signal: AbortSignal.timeout(30_000) },
  );
  expect([code, err.endsWith('1 of 3 over\n')]).toEqual([0, true]);
  expect((await runsOf(name, 1)).map(({ time }) => time!.scheduledAt)).toEqual(['2026-03-03T00:00:00.000Z']);
  await schedule('delete', name, '--yes');
});

test('a preview says which window no run reads because clocks change, and of no window that another time reads', async () => {
  const unread = async (cron: string, window: 'hour' | 'day' | 'month', now = Date.UTC(2026, 11, 1), timezone = 'Europe/Madrid') =>
    (await previewSchedule(world.client, scheduleOf.parse({ cron, window, timezone }), now)).clocks[0]!.unread.map((time) =>
      [time.scheduledAt, time.window!.from, time.window!.to].map((each) => each.slice(0, 16)),
    );
  expect(await unread('30 2 * * *', 'day')).toEqual([['2027-03-28T01:30', '2027-03-26T23:00', '2027-03-27T23:00']]);
  expect(await unread('30 2,14 * * *', 'day')).toEqual([]);
  expect(await unread('30 3 * * *', 'day')).toEqual([]);
  // The hour that is skipped is none; of the one that is there twice the server makes one run, and a line of each hour means two.
  expect(await unread('15 * * * *', 'hour')).toEqual([]);
  expect(await unread('15 * * * *', 'hour', Date.UTC(2026, 8, 1))).toEqual([['2026-10-25T01:15', '2026-10-25T00:00', '2026-10-25T01:00']]);
  // The run comes in the last third of the 90 minutes that follow its window.
  expect(await unread('45 * * * *', 'hour', Date.UTC(2027, 2, 1), 'Australia/Lord_Howe')).toEqual([]);
  expect(await unread('30 2 28 * *', 'month')).toEqual([['2027-03-28T01:30', '2027-01-31T23:00', '2027-02-28T23:00']]);
});

test('a preview says which times the server leaves out when clocks are put back, and which it makes besides', async () => {
  const clocksOf = async (cron: string, timezone: string) =>
    (await previewSchedule(world.client, scheduleOf.parse({ cron, timezone }), Date.UTC(2026, 8, 1))).clocks[0];
  const nothing = { skipped: [], twice: [], lost: [], unnamed: [], unread: [] };
  expect(await clocksOf('15,30 2 * * *', 'Europe/Berlin')).toEqual({
    ...nothing,
    at: '2026-10-25T01:00:00.000Z',
    byMinutes: -60,
    twice: [
      { clock: '2026-10-25T02:15:00.000Z', runs: ['2026-10-25T01:15:00.000Z'] },
      { clock: '2026-10-25T02:30:00.000Z', runs: [] },
    ],
    // 03:30, in the place of 02:30.
    unnamed: ['2026-10-25T02:30:00.000Z'],
  });
  expect(await clocksOf('*/15 * * * *', 'Europe/Berlin')).toMatchObject({
    lost: ['2026-10-25T03:00:00.000Z', '2026-10-25T03:15:00.000Z'],
    unnamed: [],
  });
  expect(await clocksOf('0,30 1 * * *', 'America/New_York')).toMatchObject({
    twice: [{ runs: { length: 2 } }, { runs: { length: 2 } }],
    lost: [],
    unnamed: [],
  });
});
