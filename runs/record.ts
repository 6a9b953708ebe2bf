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
  /** The run that this one continues. */
  rerunOf?: string;
};

export const recordFile = 'run.json';
export const planFile = 'plan.json';
