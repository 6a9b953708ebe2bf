import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';

type Configuration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** The workflow code: prebuilt in the package, bundled from the sources in a checkout. `prebuilt` names a file to use instead. */
export async function workflowBundle(prebuilt?: string): Promise<{ codePath: string } | { code: string }> {
  if (prebuilt) return { codePath: prebuilt };
  if (import.meta.url.endsWith('.js')) return { codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)) };
  return bundleWorkflows(fileURLToPath(new URL('../workflows/index.ts', import.meta.url)));
}

/**
 * Bundles the workflows of an entry file. The interpreter and the expressions are functions of what they are given: they
 * are loaded once for all runs of a worker, where every run would load them anew, 2 to 3 ms each.
 */
export const bundleWorkflows = (entry: string): Promise<{ code: string }> =>
  bundleWorkflowCode({
    workflowsPath: entry,
    workflowInterceptorModules: [beside(entry, 'whole-tasks')],
    preloadModules: ['no-stacks', 'interpreter/reduce', 'interpreter/view'].map((name) => beside(entry, name)),
    webpackConfigHook: asNodeRuns,
    logger: new DefaultLogger('WARN'),
  });

const beside = (entry: string, name: string): string => join(dirname(entry), name + extname(entry));

/** In a checkout the bundler writes for engines of 2017, where a spread of an object is a function: its workflow tasks would be slower than those of the package. */
function asNodeRuns(config: Configuration): Configuration {
  for (const rule of config.module?.rules ?? []) {
    const { use } = rule as { use?: { options?: { jsc?: { target?: string } } } };
    if (use?.options?.jsc) use.options.jsc.target = 'es2022';
  }
  return config;
}
