import { kindOfPath, meantFile } from '../../files/meant-file.ts';
import { tablesOfFolder } from '../../files/tables-of-folder.ts';
import { isRemote, pathOf } from '../../pipelines/source-name.ts';
import type { FileSpec } from '../../pipelines/source-spec.ts';
import { isGlob } from '../../text/glob.ts';
import { argument } from '../../text/shell.ts';
import { CommandError } from '../frame/errors.ts';
import { pathFrom } from './path-from.ts';

/** Fails with `CommandError` where the table that a command names is a folder, or is not there: with what is there instead. */
export async function lookForTable(file: FileSpec, cwd: string): Promise<void> {
  if (isRemote(file)) return;
  const path = pathOf(file);
  const kind = await kindOfPath(path);
  if (kind === 'folder')
    throw new CommandError(`${path} is a folder`, {
      remedy: `name its files: ${argument(`${pathFrom(cwd, path)}/${await tablesOfFolder(path)}`)}`,
    });
  if (kind === 'file' || isGlob(path)) return;
  const meant = await meantFile(path);
  if (meant !== undefined) throw new CommandError(`${path}: no such file; did you mean ${pathFrom(cwd, meant)}?`);
}
