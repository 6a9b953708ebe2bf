import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeBundle } from '../support/bundle.ts';
import { goldenHistories, onQueue, type History } from './golden.ts';

let dir: string;
let bundle: { codePath: string };
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portolan-other-tasks-'));
  bundle = { codePath: await writeBundle(dir) };
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** How many workers have replayed: each has a queue of its own, by its number. */
let replays = 0;
const replay = (history: History): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle: bundle, replayName: 'tasks' }, onQueue(history, `tasks-${replays++}`), 'replayed');

/**
 * What a task said of the length and of the time may be another in a replay: a query that reaches a worker first brings the events of a
 * task along, with the length and the time of the task before.
 */
const golden = await goldenHistories('v1');

test.each(golden)('$name goes the same way where each task says that the history is long', async ({ history }) => {
  const long = history();
  for (const { workflowTaskStartedEventAttributes: started } of long.events!) if (started) started.suggestContinueAsNew = true;
  await expect(replay(long)).resolves.toBeUndefined();
});

test.each(golden)('$name goes the same way where each task comes a day later than those before it', async ({ history }) => {
  const late = history();
  let days = 0;
  for (const { workflowTaskStartedEventAttributes: started, eventTime } of late.events!)
    if (started) eventTime!.seconds = eventTime!.seconds!.add(86_400 * ++days);
  await expect(replay(late)).resolves.toBeUndefined();
});

test.each(golden)('$name goes the same way where all tasks come at the time of the first', async ({ history }) => {
  const { events } = history();
  const times = events!.filter(({ workflowTaskStartedEventAttributes: started }) => started).map(({ eventTime }) => eventTime!);
  for (const time of times) Object.assign(time, times[0]);
  await expect(replay({ events })).resolves.toBeUndefined();
});
