import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Identity } from '../../config/identity.ts';

/** What the watcher writes down about the server it runs, for whoever comes after it. */
export type TemporalRecord = {
  watcher: Identity;
  /** Process that started the watcher. */
  parent?: Identity;
  server: Identity;
  address: string;
  uiUrl?: string;
  stopping: boolean;
};

/** Files of the Temporal server inside the `.portolan` folder. */
export const temporalFiles = (dir: string) => ({
  database: join(resolve(dir), 'temporal.db'),
  lock: join(resolve(dir), 'temporal.lock'),
  record: join(resolve(dir), 'temporal.json'),
  log: join(resolve(dir), 'logs', 'temporal.log'),
});

/** Writes a JSON file whole: readers see the old one or the new one. */
export const writeJsonFile = (file: string, value: unknown): void => {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(draft, file);
};

/** Reads a JSON file; undefined where there is none or it is not JSON. */
export const readJsonFile = <T>(file: string): T | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
};
