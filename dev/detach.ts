import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DevFile } from '../config/dev-file.ts';
import { readDevFile } from '../config/dev-file.ts';
import { loadConfig, projectFolders } from '../config/load.ts';
import { removeLinked } from '../files/remove-linked.ts';
import { DevError } from './dev-error.ts';
import { removeDevFile } from './dev-file.ts';
import { endLeft } from './end-left.ts';
import { devHolder, lockOutDev } from './holder.ts';
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

/** Ends the `dev` of a folder in order, also one that is still starting; false where none runs. */
export const stopDev = async (cwd: string): Promise<boolean> => {
  const { dir, root } = projectFolders(cwd);
  if (!existsSync(dir)) return false;
  const holder = devHolder(dir);
  if (holder !== undefined) await stopForeign(holder, stopWithinMs);
  const lock = lockOutDev(dir, 1_000);
  if (lock !== undefined) {
    removeDevFile(dir);
    lock.release();
    return holder !== undefined;
  }
  // Another `dev` has been started meanwhile: what is written down now is of that one.
  if (holder !== undefined) return true;
  // It had taken the folder, and has said who it is since.
  if (devHolder(dir) !== undefined) return stopDev(cwd);
  throw new DevError(
    `portolan dev runs in ${root}, and what it wrote down about itself is damaged`,
    `end its processes, those that name ${root} in \`ps -ef\`; then stop it again`,
  );
};

// The fetched server is no state; the lock is held while the rest goes.
const kept = new Set(['temporal', 'dev.lock']);

/** Stops `dev` and removes what it kept in this folder: workflows, the service's data, run store, logs. The fetched server stays. */
export const resetDev = async (cwd: string): Promise<string[]> => {
  const { dir, root } = projectFolders(cwd);
  // Of a dev that was killed it alone says what else it had started.
  const left = readDevFile(dir);
  await stopDev(cwd);
  const lock = lockOutDev(dir, 5_000);
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
