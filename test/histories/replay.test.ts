import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBundle } from '../support/bundle.ts';
import { goldenHistories, type History } from './golden.ts';

let dir: string;
let bundle: { codePath: string };
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-replay-'));
  bundle = { codePath: await writeBundle(dir) };
  // The controls below fail on purpose, with a warning each.
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const replay = (history: History): Promise<void> => Worker.runReplayHistory({ workflowBundle: bundle }, history, 'replayed');

const golden = await goldenHistories('v1');

describe('histories of interpreter version 1', () => {
  test('there are some of every way a run can go', () => {
    expect(golden.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'approved',
        'bad-output',
        'beside-gate',
        'cancelled',
        'continued-1',
        'continued-2',
        'expired',
        'failed',
        'ingest',
        'lock',
        'lock-of-terminated',
        'looped',
        'paused',
        'queued',
        'rejected',
        'refused',
        'refused-as-failed',
        'reused',
        'throttled',
        'undoing',
        'undone',
      ]),
    );
  });

  test.each(golden)('$name replays', ({ history }) => replay(history()));
});

const scheduled = (history: History) => history.events!.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);

describe('control: a history that this code would not have made', () => {
  const of = (name: string): History => golden.find((each) => each.name === name)!.history();

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

  test('an activity that was never asked for is a violation', async () => {
    const history = of('approved');
    scheduled(history).at(-1)!.activityType = { name: 'points.tag' };
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });
});
