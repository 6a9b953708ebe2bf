import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { liveDevFile } from '../config/dev-file.ts';
import { identify, isAlive, isIdentity } from '../config/identity.ts';
import type { Identity } from '../config/identity.ts';
import { takeLock } from './lock.ts';
import type { Lock } from './lock.ts';
import { readJsonFile, writeJsonFile } from './temporal/files.ts';

const lockFile = (dir: string): string => join(dir, 'dev.lock');
const holderFile = (dir: string): string => join(dir, 'dev.holder.json');

/**
 * Holds a `.portolan` folder for the `dev` of this process, and writes down who that is: `dev.json` stands only when all is
 * ready. Undefined when another process has the folder.
 */
export const holdDev = (dir: string): Lock | undefined => {
  const lock = takeLock(lockFile(dir), 1_000);
  if (lock === undefined) return undefined;
  writeJsonFile(holderFile(dir), identify(process.pid));
  return {
    release: () => {
      rmSync(holderFile(dir), { force: true });
      lock.release();
    },
  };
};

/** The living process whose `dev` has this folder, be it ready or still starting; undefined where none is known. */
export const devHolder = (dir: string): Identity | undefined => {
  const dev = liveDevFile(dir);
  if (dev !== undefined) return dev;
  const holder = readJsonFile<unknown>(holderFile(dir));
  return isIdentity(holder) && isAlive(holder) ? holder : undefined;
};

/** Holds the folder against every `dev`; undefined while one has it. Waits up to `waitMs` (blocks the thread). */
export const lockOutDev = (dir: string, waitMs: number): Lock | undefined => takeLock(lockFile(dir), waitMs);
