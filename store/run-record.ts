import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DamagedFile } from '../errors/classes.ts';
import { makeFolderIn } from '../files/make-folder.ts';
import { writeOnceSync, writeWholeSync } from '../files/whole-file.ts';
import type { RunFacts } from '../pipelines/run-start.ts';
import type { RunStore } from './run-store.ts';

/** `run.json` of a run's folder: who started what, and the workflow that runs it. */
export type RunRecord = RunFacts & {
  workflowId: string;
  /** Run id of the first workflow execution of the chain. */
  firstRunId: string;
  startedAt: string;
  baseDir: string;
  host: string;
  /** Pipeline file, absolute, and the names of the parameters that were given; absent where a plan alone was started. */
  file?: string;
  given?: string[];
};

export const recordFile = 'run.json';
export const planFile = 'plan.json';

const texts = ['workflowId', 'store', 'pipeline', 'startedAt', 'startedBy'] as const satisfies readonly (keyof RunRecord)[];

/** The record of a run in the text of its `run.json`; undefined where a fault of the disk, or somebody, has made it something else. */
export function recordIn(text: string, run: string): RunRecord | undefined {
  let found: Partial<RunRecord> | null;
  try {
    found = JSON.parse(text) as Partial<RunRecord> | null;
  } catch {
    return undefined;
  }
  return found?.run === run && texts.every((name) => typeof found[name] === 'string') ? (found as RunRecord) : undefined;
}

/** What is said where the folder of a run is there and its record says nothing. `without`: what to do where no copy of it is left. */
export function noRecord(store: Pick<RunStore, 'path'>, without: string): DamagedFile {
  const path = store.path(recordFile);
  return new DamagedFile(path, existsSync(path) ? 'it is not what was written there' : 'it is not there any more', without);
}

/**
 * Makes the folder of a run with its record and its plan, for this run alone; again, where it is the same run's already. False where the
 * folder is another run's. In one go: every run waits for it, and a turn of the event loop for each file is most of that. Left to the
 * system when it is on the disk: the history of the run says it too.
 */
export function claimFolder(store: Pick<RunStore, 'path'>, record: RunRecord, plan: object): boolean {
  const path = store.path(recordFile);
  const text = textOf(record);
  makeFolderIn(dirname(store.path()), store.path());
  if (!writeOnceSync(path, text, unsynced)) {
    const kept = recordIn(readFileSync(path, 'utf8'), record.run);
    if (kept && kept.firstRunId !== record.firstRunId) return false;
    // Cut off by a fault of the disk.
    if (!kept) writeWholeSync(path, text, unsynced);
  }
  writeWholeSync(store.path(planFile), textOf(plan), unsynced);
  return true;
}

const textOf = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const unsynced = { synced: false } as const;
