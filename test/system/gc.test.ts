import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { executions, findGarbage } from '../../runs/garbage.ts';
import { removeGarbage } from '../../runs/remove-garbage.ts';
import { listRuns } from '../../runs/list.ts';
import { readRunById } from '../../runs/view.ts';
import { moviesOf, newSlug } from '../support/world.ts';
import { appendTitles, useWorld } from './support.ts';

const world = useWorld();

const folder = (run: string, ...parts: string[]): string => join(world.place.storeRoot, run, ...parts);
const day = 86_400_000;

test('gc lists what ended runs no longer need and removes it when asked to; open runs and ledgers stay', async () => {
  const source = await world.write('movies.json', moviesOf(30));
  const { result } = await world.run(appendTitles, { dataset: newSlug('gc'), source });
  const fault = await world.control.fault('maps.projects.create', 1, { hold: 'before' });
  const open = await world.start(appendTitles, { dataset: newSlug('open'), source });
  expect(await world.control.held(fault.id)).toBe(true);
  await mkdir(folder('.removed-1-0', 'rows'), { recursive: true });

  const listed = await world.portolan(['gc', '--json']);
  const found = listed.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { run: string; path: string; why: string });
  expect(found).toContainEqual(
    expect.objectContaining({ run: result.run, path: folder(result.run, 'rows'), why: 'working files', removed: false }),
  );
  expect(found.filter(({ run }) => run === open)).toEqual([]);
  expect(existsSync(folder(result.run, 'rows'))).toBe(true);

  expect(await world.portolan(['gc', '--yes'])).toMatchObject({ code: 0, out: expect.stringContaining('removed ') });
  expect([existsSync(folder(result.run, 'rows')), existsSync(folder('.removed-1-0'))]).toEqual([false, false]);
  expect(await world.store(result.run).countItems()).toEqual([{ step: 'rows', status: 'added', count: 30 }]);
  expect(await world.portolan(['gc'])).toMatchObject({ out: 'nothing to remove\n' });

  // In forty days the ended run goes whole, and the open one stays however large it is.
  const later = await findGarbage(world.place, { olderThanMs: 30 * day, workAfterMs: 0, mostBytes: 1 }, Date.now() + 40 * day);
  expect(later.map(({ run, why }) => [run, why])).toEqual([[result.run, 'age']]);
  const crowded = await findGarbage(world.place, { olderThanMs: 30 * day, workAfterMs: 0, mostBytes: 1 }, Date.now());
  expect(crowded.map(({ run, why }) => [run, why])).toEqual([[result.run, 'size']]);
  await world.control.release(fault.id);
  expect((await world.ended(open)).view.state).toBe('done');
});

test('gc keeps the run that an open one continues, and says what it takes as an age or a size', async () => {
  const source = await world.write('movies.json', moviesOf(30));
  const { result } = await world.run(appendTitles, { dataset: newSlug('base'), source });
  const early = await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.now() + 40 * day);
  expect(early.map(({ run, why }) => [run, why])).toContainEqual([result.run, 'age']);
  const fault = await world.control.fault('maps.data.addArrow', 1, { hold: 'before' });
  const { code, out } = await world.portolan([
    'rerun',
    result.run,
    '--from',
    'rows',
    '-p',
    `dataset=${newSlug('next')}`,
    '--detach',
    '--json',
  ]);
  expect(code).toBe(0);
  const again = (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run;
  expect(await world.control.held(fault.id)).toBe(true);
  const later = await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.now() + 40 * day);
  expect(later.map(({ run }) => run)).not.toContain(result.run);
  // What was found before the new run began is looked at once more before it goes; so is a run that is open again.
  const reopened = { run: again, path: folder(again), bytes: 0, why: 'age' } as const;
  expect(await removeGarbage(world.place, [reopened, ...early.filter(({ run }) => run === result.run)])).toEqual([]);
  expect([existsSync(folder(again)), existsSync(folder(result.run))]).toEqual([true, true]);
  await world.control.release(fault.id);
  await world.ended(again);
  const whole = await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0, mostBytes: 0 }, Date.now());
  expect(whole.flatMap(({ run, why }) => (why === 'size' && [result.run, again].includes(run) ? [run] : []))).toEqual([again, result.run]);
  expect((await readdir(world.place.storeRoot)).includes(result.run)).toBe(true);
  // What a run has done is asked for by those that continue it: none goes before them.
  const { endedAt } = await readRunById(world.place, again);
  const dayAfter = await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.parse(endedAt!) + day);
  expect(dayAfter.filter(({ run, why }) => why === 'age' && [result.run, again].includes(run))).toEqual([]);
  for (const [option, value] of [
    ['--older-than', 'soon'],
    ['--most', 'much'],
  ] as const)
    expect(await world.portolan(['gc', option, value])).toMatchObject({ code: 2, err: expect.stringContaining(option) });
});

test.each([['rerun', '--from', 'ask'], ['undo']])(
  'gc keeps the run that an open one continues or takes back (%s) before a worker has begun that one',
  async (verb, ...options) => {
    const { result } = await world.run(
      'name: before\nsteps:\n  ask: { use: api.call, with: { operation: maps.user.get }, undo: { use: gate.approve } }\n',
    );
    const due = { olderThanMs: day, workAfterMs: 0 };
    const early = (await findGarbage(world.place, due, Date.now() + 40 * day)).filter(({ run }) => run === result.run);
    expect(early).toMatchObject([{ why: 'age' }]);
    await world.worker.stop();
    let stopped = true;
    onTestFinished(async () => {
      if (stopped) await world.worker.start(0);
    });
    const started = await world.portolan([verb, result.run, ...options, '--detach', '--json']);
    expect(started).toMatchObject({ code: 0 });
    const { run: next } = JSON.parse(started.out.trim().split('\n').at(-1)!) as { run: string };
    await expect.poll(async () => (await executions(world.place)).get(next)?.open).toBe(true);
    expect(existsSync(folder(next))).toBe(false);
    expect((await findGarbage(world.place, due, Date.now() + 40 * day)).map(({ run }) => run)).not.toContain(result.run);
    expect(await removeGarbage(world.place, early)).toEqual([]);
    expect(existsSync(folder(result.run))).toBe(true);
    await world.worker.start(0);
    stopped = false;
    if (verb === 'undo') expect(await world.portolan(['cancel', next])).toMatchObject({ code: 0 });
    await world.ended(next);
  },
);

test('a fetched file that was asked for again since it was found stays', async () => {
  const path = folder('.landing', 'objects', 'abc', 'x.csv');
  await mkdir(folder('.landing', 'objects', 'abc'), { recursive: true });
  await writeFile(path, 'id\n1\n');
  const found = async () =>
    (await findGarbage(world.place, { olderThanMs: 0, workAfterMs: 0 }, Date.now())).filter((each) => each.path === path);
  expect(await found()).toEqual([]);
  await utimes(path, 0, 0);
  const old = await found();
  expect(old).toHaveLength(1);
  await utimes(path, new Date(), new Date());
  expect(await removeGarbage(world.place, old)).toEqual([]);
  expect(existsSync(path)).toBe(true);
  await utimes(path, 0, 0);
  expect((await removeGarbage(world.place, old)).map((each) => each.path)).toEqual([path]);
});

test('room is made from the runs that ended first, and from no more than it takes; what did not end well keeps its working files', async () => {
  const source = await world.write('movies.json', moviesOf(30));
  const first = (await world.run(appendTitles, { dataset: newSlug('first'), source })).result.run;
  await world.control.fault('maps.data.addArrow', 1, { status: 403 });
  const failed = (await world.run(appendTitles, { dataset: newSlug('failed'), source })).result;
  expect(failed.state).toBe('failed');

  const since = (await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.now())).filter(({ run }) =>
    [first, failed.run].includes(run),
  );
  expect(since.map(({ run, why }) => [run, why])).toEqual([[first, 'working files']]);
  const all = await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0, mostBytes: 0 }, Date.now());
  expect(all.map(({ run }) => run).slice(-2)).toEqual([first, failed.run]);
  const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
  const crowded = await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0, mostBytes: bytes - 1 }, Date.now());
  expect(crowded.filter(({ why }) => why === 'size').map(({ run }) => run)).toEqual([all[0]!.run]);
});

test('a run that is being started is nobody’s garbage: its folder has no record yet, or the server does not list it yet', async () => {
  await mkdir(folder('starting', 'rows'), { recursive: true });
  await mkdir(folder('unlisted'), { recursive: true });
  const record = {
    run: 'unlisted',
    workflowId: 'unlisted',
    store: '',
    pipeline: 'kept',
    startedBy: 'ann@laptop',
    connections: {},
    startedAt: new Date().toISOString(),
  };
  await mkdir(folder('continued'), { recursive: true });
  const before = { ...record, run: 'continued', workflowId: 'continued', startedAt: new Date(Date.now() - 9 * day).toISOString() };
  await writeFile(folder('continued', 'run.json'), JSON.stringify(before));
  await writeFile(folder('unlisted', 'run.json'), JSON.stringify({ ...record, former: [{ run: 'continued', store: '' }] }));
  const found = async (inMs: number): Promise<string[]> =>
    (await findGarbage(world.place, { olderThanMs: 0, workAfterMs: 0 }, Date.now() + inMs)).map(({ run }) => run);
  const now = await found(1_000);
  expect([now.includes('unlisted'), now.includes('continued')]).toEqual([false, false]);
  const later = await found(day);
  expect([later.includes('unlisted'), later.includes('continued'), later.includes('starting')]).toEqual([true, true, false]);
});

test('while a run is being started, of which nobody knows yet what it continues, no run goes whole', async () => {
  const source = await world.write('movies.json', moviesOf(3));
  const { result } = await world.run(appendTitles, { dataset: newSlug('needed'), source });
  const found = (await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.now() + 40 * day)).filter(
    ({ run }) => run === result.run,
  );
  await mkdir(folder('beginning'), { recursive: true });
  expect(await removeGarbage(world.place, found)).toEqual([]);
  // A start that was killed long ago holds nothing up.
  for (const name of ['beginning', 'starting']) await utimes(folder(name), 0, 0).catch(() => undefined);
  expect((await removeGarbage(world.place, found)).map(({ run }) => run)).toEqual([result.run]);
  expect(existsSync(folder(result.run))).toBe(false);
  await rm(folder('beginning'), { recursive: true });
});

test.each(['', '{"run": "bro', 'null', '{"run":"other"}'])('a run.json of %j stands in the way of no other run', async (broken) => {
  const { result } = await world.run(appendTitles, { dataset: newSlug('broken'), source: await world.write('movies.json', moviesOf(3)) });
  await writeFile(folder(result.run, 'run.json'), broken);
  await mkdir(folder('broken'), { recursive: true });
  await writeFile(folder('broken', 'run.json'), broken);
  expect((await listRuns(world.place)).find(({ run }) => run === result.run)).toMatchObject({ state: 'done', pipeline: 'kept' });
  expect((await readRunById(world.place, result.run)).view.state).toBe('done');
  await expect(readRunById(world.place, 'broken')).rejects.toThrow(/its run\.json says nothing of it/);
  // The cluster says of the run that it is over.
  const later = await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.now() + 40 * day);
  expect([later.some(({ run }) => run === result.run), later.some(({ run }) => run === 'broken')]).toEqual([true, false]);
});

test('what steps have worked with goes after a run that ended well, and what a rerun asks stays', async () => {
  const { result } = await world.run(appendTitles, { dataset: newSlug('work'), source: await world.write('movies.json', moviesOf(3)) });
  for (const name of ['upload', 'replace', 'sources', 'sweeps']) {
    await mkdir(folder(result.run, name), { recursive: true });
    await writeFile(folder(result.run, name, 'rows.arrow'), 'rows');
  }
  const work = async (): Promise<string[]> =>
    (await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.now() + 1_000)).flatMap(({ run, why, path }) =>
      run === result.run && why === 'working files' ? [basename(path)] : [],
    );
  // The cluster's list is some seconds behind.
  await expect.poll(async () => (await work()).sort()).toEqual(['replace', 'rows', 'sources', 'upload']);
});

test('gc removes a run and those that took it back together, the run first: nobody takes for standing what is gone', async () => {
  const file = (undo: string): string =>
    `name: undone\nsteps:\n  ask: { use: api.call, with: { operation: maps.user.get }, undo: ${undo} }\n`;
  const { result } = await world.run(file('{ use: gate.approve }'));
  const undoing = `${result.run}.undo`;
  expect((await world.portolan(['undo', result.run, '--detach'])).code).toBe(0);
  await world.until(undoing, ({ view }) => view.state === 'approval');
  const garbage = async (): Promise<string[]> =>
    (await findGarbage(world.place, { olderThanMs: day, workAfterMs: 0 }, Date.now() + 40 * day)).map(({ run }) => run);
  expect((await garbage()).filter((run) => run.startsWith(result.run))).toEqual([]);
  // Nor does what was found before the undo began.
  expect(await removeGarbage(world.place, [{ run: result.run, path: folder(result.run), bytes: 0, why: 'age' }])).toEqual([]);
  await world.portolan(['approve', undoing, 'undo_ask']);
  await world.ended(undoing);
  await expect.poll(async () => (await garbage()).filter((run) => run.startsWith(result.run))).toEqual([result.run, undoing]);
});

test('the run of a step is kept for as long as the run above it goes on', async () => {
  await world.write(
    'pipelines/below.yaml',
    'name: below\nsteps:\n  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }\n',
  );
  const above = await world.start('name: above\nsteps:\n  below: { use: ./below.yaml }\n  ok: { use: gate.approve, needs: [below] }\n');
  await world.until(above, ({ view }) => view.steps.some(({ id, status }) => id === 'ok' && status === 'approval'));
  const garbage = await findGarbage(world.place, { olderThanMs: 0, workAfterMs: 0 }, Date.now() + 2 * day);
  expect(garbage.filter(({ run }) => run.startsWith(above))).toEqual([]);
  await world.portolan(['approve', above, 'ok']);
  expect((await world.ended(above)).view.state).toBe('done');
  const later = await findGarbage(world.place, { olderThanMs: 0, workAfterMs: 0 }, Date.now() + 2 * day);
  expect(later.filter(({ run, why }) => why === 'age' && run.startsWith(`${above}.`))).toHaveLength(1);
});
