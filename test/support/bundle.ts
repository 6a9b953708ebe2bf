import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workflowBundle } from '../../workers/workflow-bundle.ts';

/** Bundles the workflow code into a file of the folder and returns its path: a worker then starts without bundling. */
export async function writeBundle(dir: string): Promise<string> {
  const bundle = await workflowBundle();
  if (!('code' in bundle)) return bundle.codePath;
  const path = join(dir, 'workflow-bundle.js');
  await writeFile(path, bundle.code);
  return path;
}
