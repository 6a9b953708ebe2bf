import { Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WorkerLog } from '../../workers/log.ts';
import { earlyQuery } from '../../workflows/messages.ts';
import { connectBare } from './support-bare.ts';

const runs = 40;

let bare: Awaited<ReturnType<typeof connectBare>>;
const logged: string[] = [];
beforeAll(async () => {
  Runtime.install({
    logger: new WorkerLog('ERROR', ({ message, meta }) => logged.push(`${message} ${String(meta?.['error'])}`)),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
  });
  bare = await connectBare(new URL('./early-query.workflow.ts', import.meta.url));
});
afterAll(() => bare.close());

/** Runs that wait for a signal, asked and signalled while no worker is there: how long each waited by its own clock, and queries that were refused. */
async function askedWithoutWorker(taskQueue: string): Promise<{ waited: number[]; refused: number }> {
  const { connection, client, bundle } = bare;
  const options = { connection, taskQueue, workflowBundle: bundle };
  const first = await Worker.create({ ...options, maxCachedWorkflows: 0 });
  const waiting = await first.runUntil(async () => {
    const handles = await Promise.all(
      Array.from({ length: runs }, (_, at) => client.workflow.start('waiter', { taskQueue, workflowId: `${taskQueue}-${at}` })),
    );
    await Promise.all(handles.map((handle) => handle.query('state')));
    return handles;
  });
  const second = await Worker.create(options);
  let refused = 0;
  const ask = (handle: (typeof waiting)[number]): Promise<unknown> =>
    client
      .withDeadline(Date.now() + 300_000, () => handle.query('state'))
      .catch((error: unknown) => void (refused += error instanceof Error && error.message === earlyQuery ? 1 : 0));
  // Of several one is the more likely to come before the task.
  const queries = [...waiting, ...waiting, ...waiting].map(ask);
  await Promise.all(waiting.map((handle) => handle.describe()));
  await Promise.all(waiting.map((handle) => handle.signal('wake')));
  return second.runUntil(async () => {
    await Promise.all(queries);
    return { waited: await Promise.all(waiting.map((handle): Promise<number> => handle.result())), refused };
  });
}

// Queries wait beside the workflow tasks of signals that came after them: some come first, in one round or another.
test('a query that comes before a workflow task brings no events of that task along', async () => {
  let refused = 0;
  for (let round = 0; refused === 0 && round < 5; round++) {
    const asked = await askedWithoutWorker(`early-query-${process.pid}-${round}`);
    refused += asked.refused;
    // By the clock of the workflow task before it would have been no time at all.
    expect(Math.min(...asked.waited)).toBeGreaterThan(0);
  }
  expect(refused).toBeGreaterThan(0);
  // Such queries fail on purpose.
  expect(logged).toEqual([]);
});
