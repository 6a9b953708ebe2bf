import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockedKey, lockIdOf } from '../../pipelines/lock.ts';
import type { RunInput } from '../../pipelines/run-start.ts';
import { writeBundle } from '../support/bundle.ts';
import { anonymous, goldenHistories, History, onQueue } from './golden.ts';

let dir: string;
let bundle: { codePath: string };
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-replay-'));
  bundle = { codePath: await writeBundle(dir) };
  // The controls below fail on purpose, with a warning each.
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** How many workers have replayed: each has a queue of its own, by its number. */
let replays = 0;
const replay = (history: History): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle: bundle, replayName: 'golden' }, onQueue(history, `golden-${replays++}`), 'replayed');

const golden = await goldenHistories('v1');
const of = (name: string): History => golden.find((each) => each.name === name)!.history();

describe('histories of interpreter version 1', () => {
  test('there are some of every way a run can go', () => {
    expect(golden.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'alert',
        'approved',
        'bad-output',
        'beneath',
        'beside-gate',
        'cancelled',
        'continued-1',
        'continued-2',
        'expired',
        'failed',
        'ingest',
        'lock',
        'lock-beneath',
        'lock-of-terminated',
        'looped',
        'over-beneath',
        'paused',
        'queued',
        'queued-beneath',
        'rejected',
        'refused',
        'refused-as-failed',
        'reused',
        'scheduled',
        'throttled',
        'undoing',
        'undone',
        'watch',
        'watch-of-schedule',
        'watched',
      ]),
    );
  });

  test.each(golden)('$name replays', ({ history }) => replay(history()));

  test('those of watches have come to all that a watch does', () => {
    const alerts = (name: string): string[] => begun(of(name)).map(({ workflowId }) => workflowId!.split('/').at(-1)!);
    expect(alerts('watch')).toEqual(['late', 'recovered']);
    expect(alerts('watch-of-schedule')).toEqual(['late', 'late', 'late']);
    expect(begun(of('watched')).map(({ workflowType }) => workflowType!.name)).toEqual(['watchV1']);
  });

  // A replay compares what is asked for, and not what with: the key of a run stands in its plan, and the lock is known by it.
  test.each(['beneath', 'queued-beneath'])('the key of %s means the lock that it has been given by', (name) => {
    const { input, taskQueue } = started(of(name));
    const { plan } = JSON.parse(Buffer.from(input!.payloads![0]!.data!).toString()) as RunInput;
    expect(lockIdOf(taskQueue!.name!, lockedKey(plan.concurrency!))).toBe(started(of('lock-beneath')).workflowId);
    expect(started(of('over-beneath')).workflowId).toBe(plan.concurrency!.beneath);
  });

  test('they say nothing of the machine that they were recorded on', () => {
    const bytes = (history: History): Buffer => Buffer.from(History.encode(history).finish());
    expect(golden.filter(({ history }) => !bytes(anonymous(history())).equals(bytes(history()))).map(({ name }) => name)).toEqual([]);
  });
});

const started = (history: History) => history.events![0]!.workflowExecutionStartedEventAttributes!;
const begun = (history: History) => history.events!.flatMap((event) => event.startChildWorkflowExecutionInitiatedEventAttributes ?? []);
const scheduled = (history: History) => history.events!.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);

describe('control: a history that this code would not have made', () => {
  test('another activity type is a violation', async () => {
    const history = of('ingest');
    scheduled(history)[1]!.activityType = { name: 'dataset.other' };
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });

  test('two activities in another order are a violation', async () => {
    const history = of('ingest');
    const [, first, second] = scheduled(history);
    [first!.activityType, second!.activityType] = [second!.activityType, first!.activityType];
    [first!.activityId, second!.activityId] = [second!.activityId, first!.activityId];
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });

  test('two alerts of a watch in another order are a violation', async () => {
    const history = of('watch');
    const [late, recovered] = begun(history);
    [late!.workflowId, recovered!.workflowId] = [recovered!.workflowId, late!.workflowId];
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });

  test('a run that begins something else than its watch is a violation', async () => {
    const history = of('watched');
    begun(history)[0]!.workflowType = { name: 'notifyV1' };
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });

  test('an activity that was never asked for is a violation', async () => {
    const history = of('approved');
    scheduled(history).at(-1)!.activityType = { name: 'points.tag' };
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });
});
