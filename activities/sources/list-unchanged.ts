import { listFiles } from '../../child/listed-files.ts';
import { printName } from '../../pipelines/source-name.ts';
import type { StepContext } from '../frame/context.ts';
import { refuseChanged } from './check-unchanged.ts';

/** The files of a path or glob, by name. Fails where they are not those of the run's start. */
export async function listUnchanged(pattern: string, context: Pick<StepContext, 'sources'>) {
  const { files, sha256, bytes } = await listFiles(pattern);
  refuseChanged(context, printName({ path: pattern, raw: true, list: true }), { sha256, bytes, rows: files.length });
  return files;
}
