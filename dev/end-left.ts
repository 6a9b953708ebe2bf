import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DevFile } from '../config/dev-file.ts';
import { DevError } from './dev-error.ts';
import { takeLock } from './lock.ts';
import { stopForeign } from './processes.ts';
import { temporalFiles } from './temporal/files.ts';
import { readWholeRecord } from './temporal/record.ts';

/** Longer than a process takes to end whose supervisor has gone. */
const endsWithinMs = 10_000;

/**
 * Ends what a killed `dev` has left: worker, service, and the Temporal server after its watcher. `file`: its `dev.json`.
 * Fails where service or server are held by a process that is written down nowhere and does not end. Whoever calls has `dev.lock`.
 */
export const endLeft = async (dir: string, root: string, file: DevFile | undefined): Promise<void> => {
  const files = temporalFiles(dir);
  const record = readWholeRecord(dir);
  for (const left of [file?.worker, file?.service, record?.watcher, record?.server]) if (left !== undefined) await stopForeign(left, 0);
  // One that was just being started stands in no file yet; it ends by itself, as its supervisor has gone.
  for (const path of [join(dir, 'service', 'lock.sqlite'), files.lock]) {
    if (!existsSync(path)) continue;
    const lock = takeLock(path, endsWithinMs);
    if (lock === undefined) throw new DevError(`something still runs in ${root}: it holds ${path}`, 'end it, then reset again');
    lock.release();
  }
};
