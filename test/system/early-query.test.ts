import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { WorkerLog } from '../../workers/log.ts';
import { earlyQuery } from '../../workflows/messages.ts';

const runs = 40;

let connection: NativeConnection;
let client: Client;
let bundle: WorkflowBundleWithSourceMap;
const logged: string[] = [];
beforeAll(async () => {
  Runtime.install({
    logger: new WorkerLog('ERROR', ({ message, meta }) => logged.push(`${message} ${String(meta?.['error'])}`)),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
  });
  const address = inject('temporal');
  connection = await NativeConnection.connect({ address });
  client = new Client({ connection: await Connection.connect({ address }) });
  bundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./early-query.workflow.ts', import.meta.url)),
    workflowInterceptorModules: [fileURLToPath(new URL('../../workflows/whole-tasks.ts', import.meta.url))],
    logger: new DefaultLogger('ERROR'),
  });
});
afterAll(async () => {
  await client.connection.close();
  await connection.close();
});

/** Runs that wait for a signal, asked and signalled while no worker is there: how long each waited by its own clock, and queries that were refused. */
async function askedWithoutWorker(taskQueue: string): Promise<{ waited: number[]; refused: number }> {
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
