import type { Stats } from 'node:fs';
import { chmod, readlink, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { writeWhole } from '../../files/whole-file.ts';
import { UsageError } from '../frame/errors.ts';

/** Where a file is made that is not there: a link to it stays one, and means the folder in which it really stands. */
const madeAt = (path: string): Promise<string> =>
  readlink(path).then(
    async (link) => madeAt(resolve(await realpath(dirname(path)), link)),
    () => path,
  );

/** What is open already is written into: a file that took the place of it would be seen by nobody who has it open. */
const isOpen = (path: string): boolean => /^\/(dev|proc)\//.test(path);

/** What stands where a file is to be written; undefined: nothing. Fails with `UsageError` where it is a folder, or has no name. */
export async function checkOut(out: string, cwd: string): Promise<Stats | undefined> {
  if (out === '') throw new UsageError('--out has no name of a file', '--out FILE');
  const facts = await stat(resolve(cwd, out)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`--out ${out} cannot be written: ${error.message}`, 'name a file');
  });
  if (facts?.isDirectory() || /[/\\]$/.test(out)) throw new UsageError(`--out ${out} is a folder`, 'name a file in it');
  return facts;
}

/**
 * Writes the file that `--out` names: a regular one whole or not at all, with the mode that it has, also where a link leads to it; into a
 * pipe or a device, which stays what it is. Fails as `checkOut`.
 */
export async function writeOut(out: string, cwd: string, content: string | Uint8Array): Promise<void> {
  const path = resolve(cwd, out);
  const facts = await checkOut(out, cwd);
  if (facts === undefined) await writeWhole(await madeAt(path), content);
  else if (facts.isFile() && !isOpen(path)) {
    const real = await realpath(path);
    await writeWhole(real, content, { mode: facts.mode });
    // The mask of the process takes away from the mode of a file that is made.
    await chmod(real, facts.mode);
  } else await writeFile(path, content);
}
