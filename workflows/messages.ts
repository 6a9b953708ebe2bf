import type { KeptView } from '../store/kept-view.ts';
import type { FailureDetails } from '../errors/failure-details.ts';
import type { Approved, EndStatus } from '../pipelines/plan.ts';
import type { Displacer, Holder } from '../pipelines/lock.ts';
import type { RunFacts } from '../pipelines/run-start.ts';
import type { Json } from '../text/json.ts';

/** Names by which a run is started, asked and steered. Pure data: shared by the workflow, the command line and tests. */
export const workflowType = 'runPipelineV1';
/** Query of the visibility store that finds runs of every interpreter version. */
export const runsQuery = 'WorkflowType STARTS_WITH "runPipelineV"';
/** With which a query fails that `whole-tasks.ts` refuses. */
export const earlyQuery = 'the query came before the workflow task that it asks about: ask again';
export const query = { view: 'view', closedView: 'closedView' } as const;
/** `report`: a run to the one whose step it is; `look`: a run asks whether that of its step is still there. */
export const signal = { pause: 'pause', resume: 'resume', report: 'report', look: 'look' } as const;
export const update = { decide: 'decide' } as const;

/** `with`: the run above that pauses the run of its step; it goes on with that one alone where nobody paused it by itself. */
export type PauseRequest = { who: string; note?: string; with?: string };
/** Of a person, or of the run above. */
export type ResumeRequest = Partial<PauseRequest>;
export type Pause = PauseRequest & { from: string; to?: string };

/** A person's decision on a gate. The update fails with `NoSuchGate` unless that gate is waiting. */
export type Decision = { step: string; approve: boolean; who: string; note: string };

export type StepStatus = 'waiting' | 'running' | 'approval' | EndStatus;

/** Why a step was not carried out: its `when`, a need that ended otherwise than it accepts, or a failure of the run or its turn. */
export type SkipCause = { because: 'when' } | { because: 'needs'; step: string; status: EndStatus } | { because: 'failure' };

/** What the run of a pipeline reports to the one whose step it is: how it stands, or how it ended. */
export type ChildReport = {
  /** The step of the run above, by its path; empty of the run that takes that one back. */
  step: string;
  run: string;
  state: RunView['state'];
  /** Steps of it that wait for a person. */
  asks: string[];
  outputs?: { [name: string]: Json };
  error?: RunError;
  /** Nothing was done in it: all results are those of an earlier run. */
  reused?: true;
};

export type RunError = {
  /** Failing step; absent where the run itself failed. */
  step?: string;
  /** Machine name: `BadInput`, `ApiError`, `expression-result` … */
  type: string;
  message: string;
  details?: FailureDetails;
};

export type GateAsks = {
  /** Who is meant to decide. */
  who?: string;
  /** What the file shows the person. */
  show?: Json;
  approves: Approved[];
  /** Undecided then, the run fails. */
  expiresAt?: string;
};

export type StepView = {
  /** Of a step in a loop its path: `review[17].ask`. It is there while its turn is under way. */
  id: string;
  turn?: { of: string; index: number };
  /** The step about whose failure it is done; its own path is `rows[transient].log`. */
  reactsTo?: string;
  use: string;
  kind: string;
  status: StepStatus;
  needs: string[];
  startedAt?: string;
  endedAt?: string;
  /** Items done and expected, of a sweep or a poll; `bytes` sent so far. */
  progress?: { done: number; total?: number; unit: string; note?: string; bytes?: number };
  /** sweep: chunks in all, acknowledged, and the numbers of those under way. */
  chunks?: { total: number; acknowledged: number; open: number[] };
  /** loop: its turns, and why the first that failed did. */
  loop?: { items?: number; done: number; failed: number; failures: { index: number; error: RunError }[] };
  counts?: { [name: string]: number };
  /** What its items have cost so far, where they cost money. */
  costUsd?: number;
  output?: Json;
  /** gate: what is asked, and what an approval lets happen. */
  asks?: GateAsks;
  decision?: Decision & { at: string };
  /** pipeline: its run, how that stands, and its steps that wait for a person. */
  child?: Pick<ChildReport, 'run' | 'state' | 'asks'>;
  /** Of a skipped step. */
  skipped?: SkipCause;
  /** Of a step that failed, also where that is tolerated. */
  error?: RunError;
  /** Of a step that failed and is tried again as its file says: the number of the try under way or waited for, `at` when it begins, and why the last one failed. */
  retries?: { now: number; of: number; at?: string; error: RunError };
  /** Hash of all that the result depends on; absent until the input is known. */
  inputHash?: string;
  /** Run whose result was taken over: nothing ran in this one. */
  reusedFrom?: string;
};

/** Answer of the `view` query, and the shape of the final result. */
export type RunView = {
  run: string;
  pipeline: string;
  /** `queued`: another run holds its key, and nothing of it has begun. */
  /** `refused`: its key was held, and nothing of it was done. */
  state: 'running' | 'queued' | 'paused' | 'approval' | 'done' | 'failed' | 'cancelled' | 'refused';
  /** The key that it waits for, and since when. Who holds it is known to the lock: `runs/lock.ts` adds it. */
  queued?: { key: string; since: string; holder?: Holder };
  paused?: PauseRequest & { at: string };
  /** Every pause of the run; the last one without an end while it lasts. */
  pauses?: Pause[];
  steps: StepView[];
  outputs?: { [name: string]: Json };
  error?: RunError;
  /** Of a cancelled run: the newer run of its key that it was cancelled for. */
  displaced?: Displacer;
  /** The run that this one takes back. */
  undoes?: string;
  /** Of a failed run whose file says so: the run that takes it back, how that stands, and why it failed. */
  undo?: Pick<ChildReport, 'run' | 'state' | 'asks' | 'error'>;
};

/** Memo of every run: how a run is found by its id. */
export type RunMemo = RunFacts & {
  /** While it is open: `running`, `queued`, `paused` or `approval`, as the workflow last said. */
  state?: RunView['state'];
  /** Steps that wait for a person. */
  asks?: string[];
};

/** What leaves a workflow for the process of its worker, which gives the code. `store`: URI of the run's folder. */
export type RunSinks = {
  view: { keep(store: string, kept: KeptView<RunView>): void };
  lock: { release(key: string, firstRunId: string): void };
};
