import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { inject } from 'vitest';

/** The tests' Temporal server with workflows of a test, for workers that the test itself makes; they refuse early queries as those of the product do. */
export async function connectBare(
  workflows: URL,
): Promise<{ connection: NativeConnection; client: Client; bundle: WorkflowBundleWithSourceMap; close(): Promise<void> }> {
  const address = inject('temporal');
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection: await Connection.connect({ address }) });
  const bundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(workflows),
    workflowInterceptorModules: [fileURLToPath(new URL('../../workflows/whole-tasks.ts', import.meta.url))],
    logger: new DefaultLogger('ERROR'),
  });
  const close = async (): Promise<void> => {
    await client.connection.close();
    await connection.close();
  };
  return { connection, client, bundle, close };
}
