import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** The workflow code: prebuilt in the package, bundled from the sources in a checkout. `prebuilt` names a file to use instead. */
export async function workflowBundle(prebuilt?: string): Promise<{ codePath: string } | { code: string }> {
  if (prebuilt) return { codePath: prebuilt };
  if (import.meta.url.endsWith('.js')) return { codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)) };
  return bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('WARN'),
  });
}
