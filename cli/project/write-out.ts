import { readlink, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { writeWhole } from '../../files/whole-file.ts';
import { UsageError } from '../frame/errors.ts';

/** Where a file is made that is not there: a link to it stays one. */
const madeAt = (path: string): Promise<string> =>
  readlink(path).then(
    (link) => madeAt(resolve(dirname(path), link)),
    () => path,
  );

/**
 * Writes the file that `--out` names: a regular one whole or not at all, also where a link leads to it; into a pipe or a device, which
 * stays what it is. Fails with `UsageError` where it is a folder, or has no name.
 */
export async function writeOut(out: string, cwd: string, content: string | Uint8Array): Promise<void> {
  if (out === '') throw new UsageError('--out has no name of a file', '--out FILE');
  const path = resolve(cwd, out);
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`--out ${out} cannot be written: ${error.message}`, 'name a file');
  });
  if (facts?.isDirectory() || /[/\\]$/.test(out)) throw new UsageError(`--out ${out} is a folder`, 'name a file in it');
  if (facts === undefined) await writeWhole(await madeAt(path), content);
  else if (facts.isFile()) await writeWhole(await realpath(path), content);
  else await writeFile(path, content);
}
