import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DevFile } from '../config/dev-file.ts';
import { liveDevFile, readDevFile } from '../config/dev-file.ts';
import { loadConfig, projectFolders } from '../config/load.ts';
import { removeLinked } from '../files/remove-linked.ts';
import { DevError } from './dev-error.ts';
import { removeDevFile } from './dev-file.ts';
import { endLeft } from './end-left.ts';
import { takeLock } from './lock.ts';
import type { DetachedMessage } from './main.ts';
import { spawnOwn, stopForeign } from './processes.ts';
import type { DevOptions } from './supervisor.ts';

/** Longer than worker, service and server may take together to end. */
const stopWithinMs = 45_000;
const startWithinMs = 240_000;

/** Starts `dev` in the background; returns when it is ready. A failed start fails with its reason. */
export const startDetached = async (options: Omit<DevOptions, 'report'>): Promise<DevFile> => {
  const { dir } = await loadConfig(options.cwd);
  const log = join(dir, 'logs', 'dev.log');
  const supervisor = spawnOwn<DetachedMessage>({ entry: 'dev/main', args: [JSON.stringify(options)], log, readyWithinMs: startWithinMs });
  const message = await supervisor.ready.catch(async (error: unknown) => {
    await supervisor.stop();
    throw error;
  });
  if (message.state === 'failed') {
    await supervisor.exited;
    throw new DevError(message.message, message.remedy ?? `its log: ${log}`);
  }
  supervisor.release();
  const file = readDevFile(dir);
  if (file === undefined) throw new DevError('portolan dev started and ended at once', `its log: ${log}`);
  return file;
};

/** Ends the `dev` of a folder in order; false where none runs. */
export const stopDev = async (cwd: string): Promise<boolean> => {
  const { dir } = projectFolders(cwd);
  const file = liveDevFile(dir);
  if (file !== undefined) await stopForeign(file, stopWithinMs);
  removeDevFile(dir);
  return file !== undefined;
};

// The fetched server is no state; the lock is held while the rest goes.
const kept = new Set(['temporal', 'dev.lock']);

/** Stops `dev` and removes what it kept in this folder: workflows, the service's data, run store, logs. The fetched server stays. */
export const resetDev = async (cwd: string): Promise<string[]> => {
  const { dir, root } = projectFolders(cwd);
  // Of a dev that was killed it alone says what else it had started.
  const left = readDevFile(dir);
  await stopDev(cwd);
  const lock = takeLock(join(dir, 'dev.lock'), 5_000);
  if (lock === undefined) throw new DevError(`something still runs in ${root}`, 'wait until it has ended, then reset again');
  try {
    await endLeft(dir, root, left);
    // Where the folder's name has a question mark they lie elsewhere (service/engine/datasets/folder.ts).
    removeLinked(join(dir, 'service', 'datasets'));
    const names = readdirSync(dir).filter((name) => !kept.has(name));
    for (const name of names) rmSync(join(dir, name), { recursive: true, force: true });
    return names.map((name) => join(dir, name));
  } finally {
    lock.release();
  }
};
