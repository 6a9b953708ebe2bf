import type { RunMemo } from '../workflows/messages.ts';

/** `run.json` of a run's folder: who started what, and the workflow that runs it. */
export type RunRecord = RunMemo & {
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
