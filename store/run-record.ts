import { readFile } from 'node:fs/promises';
import type { RunFacts } from '../pipelines/run-start.ts';
import { writeOnce } from '../files/whole-file.ts';
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

/**
 * Makes the folder of a run with its record, for this run alone; again, where it is the same run's already. False where the folder
 * is another run's.
 */
export async function claimFolder(store: Pick<RunStore, 'path' | 'writeJson'>, record: RunRecord): Promise<boolean> {
  const path = store.path(recordFile);
  // The history of the run says it too.
  if (await writeOnce(path, `${JSON.stringify(record, null, 2)}\n`, { synced: false })) return true;
  const kept = recordIn(await readFile(path, 'utf8'), record.run);
  // Cut off by a fault of the disk.
  if (!kept) await store.writeJson(recordFile, record, { synced: false });
  return !kept || kept.firstRunId === record.firstRunId;
}
