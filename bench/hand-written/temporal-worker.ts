import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { activities } from './temporal.ts';

const { address, taskQueue, bundle } = JSON.parse(process.argv[2]!) as { address: string; taskQueue: string; bundle?: string };
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  activities,
  ...(bundle
    ? { workflowBundle: { codePath: bundle } }
    : { workflowsPath: fileURLToPath(new URL('temporal-workflow.ts', import.meta.url)) }),
});
process.send?.({ ready: true });
process.once('disconnect', () => process.exit(0));
await worker.run();
