import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { BadInput } from '../../errors/classes.ts';
import { fileFacts } from '../../files/file-facts.ts';
import { mapFormFiles } from '../../pipelines/form-files.ts';
import { printName } from '../../pipelines/source-name.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import type { StepContext } from '../frame/context.ts';

/**
 * The input of an operation that sends a form, with its files in place of `{ file: PATH }`. They are read while they are sent,
 * and are those that were looked at before the run's first write: what a run finds on its way names no file of this host.
 */
export async function withFiles(
  context: Pick<StepContext, 'sources' | 'step'>,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const opened = new Map<string, File>();
  mapFormFiles(input, (path) => opened.set(path, new File([], '')));
  for (const path of opened.keys()) {
    const name = printName({ path, raw: true });
    const known = context.sources[name];
    if (!known)
      throw new BadInput(
        'bad_input',
        `steps.${context.step}: the file ${path} was not named before the run; write its path out, or give it as a parameter`,
      );
    // Opened first: what is read of it later is refused where it changed since.
    const blob = await openAsBlob(path);
    refuseChanged(context, name, { ...(await fileFacts(path)), rows: known.rows });
    opened.set(path, new File([blob], basename(path)));
  }
  return mapFormFiles(input, (path) => opened.get(path));
}
