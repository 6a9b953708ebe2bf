import type { Config } from '../config/load.ts';
import { NotFetched } from '../errors/classes.ts';
import { isS3 } from '../pipelines/s3-address.ts';
import { isRemote, pathOf, tablesOf } from '../pipelines/source-name.ts';
import type { FileSpec, SourceSpec } from '../pipelines/source-spec.ts';
import { databaseOf } from './postgres/database.ts';
import { storageOf } from './s3/storage.ts';

/** What a source needs of the configuration: secrets by their names, or what is missing there. */
export type Need = { secret: string } | { problem: string; remedy: string };

function needsOfFile(file: FileSpec, sources: Config['sources']): Need[] {
  if (!isRemote(file)) return [];
  if (typeof file === 'object' && 'http' in file)
    return Object.values(file.headers ?? {}).flatMap((value) => (typeof value === 'string' ? [] : [{ secret: value.secret }]));
  try {
    if (typeof file === 'object' && 'postgres' in file) {
      const { secret } = databaseOf(file, sources.postgres);
      return secret === undefined ? [] : [{ secret }];
    }
    return isS3(pathOf(file)) ? Object.values(storageOf(file, sources.s3).secrets ?? {}).map((secret) => ({ secret })) : [];
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error;
    return [{ problem: `${pathOf(file)}: ${error.message}`, remedy: error.remedy }];
  }
}

/** What the files of a source need of the configuration before they can be fetched. */
export const needsOf = (source: SourceSpec, sources: Config['sources']): Need[] =>
  tablesOf(source).flatMap(([, file]) => needsOfFile(file, sources));
