import { existsSync } from 'node:fs';
import { isIdentity } from '../../config/identity.ts';
import { DevError } from '../dev-error.ts';
import { readJsonFile, temporalFiles } from './files.ts';
import type { TemporalRecord } from './files.ts';

/** What a watcher wrote down in a folder; undefined where there is nothing, or nothing that names a watcher and a server. */
export const readRecord = (dir: string): TemporalRecord | undefined => {
  const record = readJsonFile<TemporalRecord | null>(temporalFiles(dir).record);
  return isIdentity(record?.watcher) && isIdentity(record.server) ? record : undefined;
};

/**
 * `readRecord` for who relies on it to find a server that was left behind. Fails where the file is damaged: a second server on
 * the same database would spoil it. Where there is no database, no server can be.
 */
export const readWholeRecord = (dir: string): TemporalRecord | undefined => {
  const { record, database } = temporalFiles(dir);
  const found = readRecord(dir);
  if (found === undefined && existsSync(record) && existsSync(database))
    throw new DevError(
      `${record} is damaged: whether a Temporal server of this folder still runs cannot be told`,
      `end one that has ${database} open, if there is one, then take ${record} away`,
    );
  return found;
};
