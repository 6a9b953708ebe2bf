import { constants } from 'node:fs';
import { copyFile, link, mkdir, rename, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryName } from '../files/whole-file.ts';

/** Notes that a file was asked for now; false where it is not there. */
export const touch = (path: string): Promise<boolean> =>
  utimes(path, new Date(), new Date()).then(
    () => true,
    () => false,
  );

/** Links a file, or copies it where there are no links; while it is a copy under way it stands in `beside`, of the same file system. */
export async function linkOrCopy(from: string, to: string, beside: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    // A copy is of its own age; a file system without links has nothing else.
    if (error.code === 'EEXIST') await touch(to);
    else {
      // A kill leaves no half of it under its name, nor in its folder, where a pattern would take it for a file of the source.
      const copy = temporaryName(join(beside, 'copy'));
      await copyFile(from, copy, constants.COPYFILE_FICLONE);
      await rename(copy, to);
    }
  });
}
