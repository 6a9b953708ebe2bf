import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { scriptInput } from '../support-process.ts';
import { activities } from './activities.ts';

// A hand-written worker with the settings of ours that bear on speed.
const { address, taskQueue } = scriptInput<{ address: string; taskQueue: string }>();
Runtime.install({
  logger: new DefaultLogger('WARN'),
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
});
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
    logger: new DefaultLogger('WARN'),
  }),
  activities,
  stickyQueueScheduleToStartTimeout: '1s',
  maxConcurrentActivityTaskExecutions: 40,
  maxCachedWorkflows: 200,
  maxHeartbeatThrottleInterval: '1s',
  defaultHeartbeatThrottleInterval: '1s',
});
process.once('disconnect', () => process.exit(0));
process.send!({ ready: true });
await worker.run();
