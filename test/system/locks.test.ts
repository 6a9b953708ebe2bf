import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { lockIdOf, lockSettings, lockWorkflow, releaseSignal, type Holder, type LockInput } from '../../pipelines/lock.ts';
import { startSecond } from '../support/second-command.ts';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

/** A run that holds its key until somebody approves. */
const gated = (when?: string): string => `
name: locked
params: { key: { type: slug } }
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
  list: { use: api.call, needs: [ask], with: { operation: maps.projects.list, input: {} } }
concurrency: ${when === undefined ? '"${{ params.key }}"' : `{ key: "\${{ params.key }}", when: ${when} }`}
`;

const held = async (key: string, when?: string): Promise<string> => {
  const run = await world.start(gated(when), { key });
  await world.until(run, ({ view }) => view.state === 'approval');
  return run;
};
const queued = async (key: string, when = 'queue'): Promise<string> => {
  const run = await world.start(gated(when), { key });
  await world.until(run, ({ view }) => view.state === 'queued');
  return run;
};
const approve = (run: string) => world.portolan(['approve', run, 'ask', '--note', 'go on']);
const lockOf = (key: string) => world.client.workflow.getHandle(lockIdOf(world.taskQueue, key));

test('a command whose key another run holds is refused at once, and names the run that holds it', async () => {
  const key = newSlug('refused');
  const holder = await held(key);
  const { value, effects } = await world.effectsOf(async () =>
    world.portolan(['run', await world.pipeline(gated()), '-c', 'local', '-p', `key=${key}`]),
  );
  expect(value.code).toBe(1);
  expect(value.err).toMatch(new RegExp(`${key} is held by run ${holder}, started by tester, since \\d{4}-`));
  expect(value.err).toContain(`portolan cancel ${holder}`);
  expect(effects).toEqual([]);
  await approve(holder);
  expect((await world.ended(holder)).view.state).toBe('done');
});

test('of two commands at the same moment the one that came second is refused, as one that looked in time: it has not failed, and nobody is alerted', async () => {
  const key = newSlug('moment');
  const holder = await held(key);
  const second = await startSecond(world, key, { on: ['failed'], to: ['ops'] });
  expect(await world.portolan(['wait', second])).toMatchObject({ code: 1, out: expect.stringContaining(`held by run ${holder}`) });
  expect((await world.portolan(['runs'])).out).toMatch(new RegExp(`${second} +refused `));
  const { out } = await world.portolan(['why', second]);
  expect(out).toContain(`${second} was refused: ${key} is held by run ${holder}, started by tester`);
  expect(out).toContain(`portolan status ${holder}`);
  // It would have begun before the end of the run.
  await expect(world.client.workflow.getHandle(`portolan/alert/${second}/failed`).describe()).rejects.toThrow(WorkflowNotFoundError);
  await approve(holder);
  await world.ended(holder);
});

test('a lock ends when its run has ended, and the key is free', async () => {
  const key = newSlug('free');
  const first = await held(key);
  expect((await lockOf(key).describe()).status.name).toBe('RUNNING');
  await approve(first);
  await world.ended(first);
  await vi.waitFor(async () => expect((await lockOf(key).describe()).status.name).toBe('COMPLETED'), 300_000);
  const second = await held(key);
  await world.portolan(['cancel', second]);
  expect((await world.ended(second)).view.state).toBe('cancelled');
});

test('runs that wait for a key get it in the order in which they asked, and say who holds it', async () => {
  const key = newSlug('queue');
  const holder = await held(key);
  const second = await queued(key);
  const third = await queued(key);
  const { out } = await world.portolan(['status', third]);
  expect(out).toContain(`run ${holder} holds ${key} since `);
  expect((await world.portolan(['why', third])).out).toContain(`run ${holder} holds ${key} since `);
  expect((await world.portolan(['runs'])).out).toMatch(new RegExp(`${third}.*queued`));
  await approve(holder);
  await world.until(second, ({ view }) => view.state === 'approval');
  expect((await world.until(third, ({ view }) => view.queued?.holder?.run === second)).view.state).toBe('queued');
  await approve(second);
  await world.until(third, ({ view }) => view.state === 'approval');
  await approve(third);
  expect((await world.ended(third)).view).toMatchObject({ state: 'done' });
});

test('a run that waits can be paused and cancelled, and one that was cancelled is passed over', async () => {
  const key = newSlug('passed');
  const holder = await held(key);
  const second = await queued(key);
  const third = await queued(key);
  await world.portolan(['pause', third, '--note', 'later']);
  await world.until(third, ({ view }) => view.state === 'paused');
  const { value, effects } = await world.effectsOf(async () => {
    await world.portolan(['cancel', second]);
    return world.ended(second);
  });
  expect(value.view).toMatchObject({ state: 'cancelled', steps: [{ status: 'cancelled' }, { status: 'cancelled' }] });
  expect(effects).toEqual([]);
  await approve(holder);
  await world.until(third, ({ view }) => view.queued === undefined && view.state === 'paused');
  await world.portolan(['resume', third]);
  await world.until(third, ({ view }) => view.state === 'approval');
  await approve(third);
  expect((await world.ended(third)).view.state).toBe('done');
});

test('a run that cancels older ones begins when the one that held the key has ended', async () => {
  const key = newSlug('older');
  const holder = await held(key);
  const waiting = await queued(key);
  const newest = await world.start(gated('cancelOlder'), { key });
  await world.until(newest, ({ view }) => view.state === 'approval');
  for (const older of [holder, waiting]) {
    expect((await world.ended(older)).view).toMatchObject({ state: 'cancelled', displaced: { key, run: newest } });
    expect(JSON.parse((await world.portolan(['status', older, '--json'])).out)).toMatchObject({ displaced: { run: newest } });
    expect((await world.portolan(['why', older])).out).toContain(`was cancelled for run ${newest}, started by `);
  }
  await approve(newest);
  expect((await world.ended(newest)).view.state).toBe('done');
});

test('a lock that has continued as new looks after its holder before anybody says anything', async () => {
  const key = newSlug('continued');
  const holder = await held(key);
  const waiting = await queued(key);
  const lock = await lockOf(key).describe();
  const { runId: firstRunId } = await world.client.workflow.getHandle(waiting).describe();
  await lockOf(key).terminate();
  await world.client.workflow.getHandle(holder).terminate();
  // What a lock gives to its next execution.
  const input: LockInput = {
    key,
    holder: lock.memo!['holder'] as Holder,
    waiting: [{ run: waiting, workflowId: waiting, firstRunId, who: 'tester', when: 'queue' }],
  };
  await world.client.workflow.start(lockWorkflow, { ...lockSettings(world.taskQueue, key), args: [input] });
  await world.until(waiting, ({ view }) => view.state === 'approval');
  await approve(waiting);
  expect((await world.ended(waiting)).view.state).toBe('done');
});

test('a lock with much to do continues as new, and those that wait keep their places', async () => {
  const key = newSlug('busy');
  const holder = await held(key);
  const waiting = await queued(key);
  const before = (await lockOf(key).describe()).runId;
  // Runs that have no key are over too, and say so.
  for (let at = 0; at < 310; at++) await lockOf(key).signal(releaseSignal, `nobody-${at}`);
  await expect.poll(async () => (await lockOf(key).describe()).runId).not.toBe(before);
  await approve(holder);
  await world.until(waiting, ({ view }) => view.state === 'approval');
  await approve(waiting);
  expect((await world.ended(waiting)).view.state).toBe('done');
});

test('runs of a schedule and of commands have one key: they wait for each other, or are refused as the file says', async () => {
  const key = newSlug('both');
  const name = `nightly-${key}`;
  const text = gated().replace('name: locked', `name: ${name}\nconnection: local\nschedule: { every: 24h }`);
  const schedule = async (when?: string): Promise<string> => {
    const own =
      when === undefined ? text : text.replace(/params:.*/, '').replace(/concurrency: .*/, `concurrency: { key: ${key}, when: ${when} }`);
    const file = await world.write(`pipelines/${name}.yaml`, own);
    const params = when === undefined ? ['-p', `key=${key}`] : [];
    const { code, err } = await world.portolan(['schedule', 'apply', file, ...params, '--yes']);
    expect([code, err]).toEqual([0, '']);
    const before = (await runsOf(name)).length;
    await world.portolan(['schedule', 'trigger', name]);
    return await vi.waitFor(async () => {
      const runs = await runsOf(name);
      expect(runs.length).toBeGreaterThan(before);
      return runs[0]!;
    }, 300_000);
  };
  const holder = await held(key);
  const waiting = await schedule();
  await world.until(waiting, ({ view }) => view.state === 'queued' && view.queued?.holder?.run === holder);
  await approve(holder);
  await world.until(waiting, ({ view }) => view.state === 'approval');
  const refused = await world.portolan(['run', await world.pipeline(gated()), '-c', 'local', '-p', `key=${key}`]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`held by run ${waiting}, started by tester by schedule ${name}`) });
  await approve(waiting);
  await world.ended(waiting);
  const last = await held(key);
  const rejected = await schedule('reject');
  const { view } = await world.ended(rejected);
  expect(view).toMatchObject({ state: 'refused', error: { type: 'Held' } });
  expect((await world.portolan(['why', rejected])).out).toContain(`${key} is held by run ${last}, started by tester`);
  await world.portolan(['schedule', 'delete', name, '--yes']);
  await approve(last);
});

/** Runs that a schedule has started, the newest first. */
const runsOf = async (name: string): Promise<string[]> => {
  const { out } = await world.portolan(['runs', '--json', '--limit', '1000']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { run: string; origin?: { schedule?: string } })
    .filter(({ origin }) => origin?.schedule === name)
    .map(({ run }) => run);
};
