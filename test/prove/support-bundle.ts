import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workflowBundle } from '../../workers/workflow-bundle.ts';

/** The workflow code as the package ships it: a worker that starts anew need not bundle it first. */
export async function createBundle(): Promise<{ path: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-bundle-'));
  const path = join(dir, 'workflow-bundle.js');
  const bundle = await workflowBundle();
  if (!('code' in bundle)) throw new Error('the sources are bundled here, not the package');
  await writeFile(path, bundle.code);
  return { path, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}
