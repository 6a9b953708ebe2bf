import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../frame/errors.ts';

/** Absolute path of a file that is to be sent. `option`: as the command line names it. Fails with `UsageError` where it cannot be read. */
export async function givenFile(option: string, path: string, cwd: string): Promise<string> {
  const file = resolve(cwd, path);
  const wrong = (problem: string): UsageError => new UsageError(`${option}: ${problem}`, 'name a file that you may read');
  await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw wrong(error.code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read: ${error.message}`);
  });
  if ((await stat(file)).isDirectory()) throw wrong(`${file} is a folder`);
  return file;
}
