import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

const runs = 40;
const sleepMs = 6_000;

let connection: NativeConnection;
let client: Client;
let bundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  // What is refused is reported as a warning each time.
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
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

// Asked while no worker is there, queries and the tasks of timers that fired meanwhile wait side by side: some queries come first.
test('a query that comes before a workflow task brings no events of that task along', async () => {
  const taskQueue = `early-query-${process.pid}`;
  const options = { connection, taskQueue, workflowBundle: bundle };
  const first = await Worker.create({ ...options, maxCachedWorkflows: 0 });
  const { sleeping, untilAll } = await first.runUntil(async () => {
    const handles = await Promise.all(
      Array.from({ length: runs }, (_, at) =>
        client.workflow.start('sleeper', { taskQueue, workflowId: `${taskQueue}-${at}`, args: [sleepMs] }),
      ),
    );
    const untilAllHave = async (name: 'timerStartedEventAttributes' | 'timerFiredEventAttributes'): Promise<void> => {
      for (const handle of handles)
        await vi.waitFor(async () => expect((await handle.fetchHistory()).events!.some((event) => event[name])).toBe(true), 60_000);
    };
    await untilAllHave('timerStartedEventAttributes');
    return { sleeping: handles, untilAll: untilAllHave };
  });
  const second = await Worker.create(options);
  const queries = sleeping.map((handle) => handle.query<string>('state').catch(() => 'refused'));
  await untilAll('timerFiredEventAttributes');
  const slept = await second.runUntil(async () => {
    await Promise.all(queries);
    return Promise.all(sleeping.map((handle): Promise<number> => handle.result()));
  });
  expect(Math.min(...slept)).toBeGreaterThanOrEqual(sleepMs);
});
