import { inside, type Plan, type Reuse, type RunRef, type SourceFingerprint, type TurnRow } from '../../pipelines/plan.ts';
import type { FailureName } from '../../pipelines/error-classes.ts';
import type { Displacer, LockAnswer } from '../../pipelines/lock.ts';
import type { Json } from '../../text/json.ts';
import type { ChildReport, Decision, Pause, PauseRequest, RunError, SkipCause, StepStatus } from '../messages.ts';

/** A sweep on its way. Chunks are acknowledged by the return of their activity. */
export type SweepState = {
  chunks: number;
  next: number;
  acknowledged: number;
  items: number;
  unit?: string;
  state: Json;
  /** Chunks that failed, or were given up, and are sent again. */
  redo?: number[];
  /** How often chunks were given up, to go on where they were. */
  stopped?: number;
  /** Chunks whose end nobody reported before the run was over: what became of them is asked of the run store. */
  unsettled?: number[];
};

/** A loop on its way. The states of a turn's steps stand beside the others until the turn has ended. */
export type LoopState = {
  /** Absent until it is known: a list that stands in the run store is counted there. */
  items?: number;
  /** Of such a list the part that turns begin from. */
  page?: { from: number; items: Json[] };
  next: number;
  /** Turns under way by their number, with their item, the first failure that is not tolerated, and what a worker has made of their outputs. */
  open: { [index: string]: { item: Json; error?: RunError; row?: Row } };
  done: number;
  failed: number;
  /** The first turns that failed, and why. */
  failures: { index: number; error: RunError }[];
  /** What the ended turns gave that does not stand in the run store yet. */
  rows: TurnRow[];
  /** Batches of rows that stand there. */
  batches: number;
};

type Row = { [name: string]: Json };

/** Tries of a step after the first one: how many have begun, of how many in all, when the next one begins while it is waited for, and why the last one failed. */
export type Retries = { begun: number; of: number; at?: number; error: RunError };

/** The run of a pipeline that a step is, or that takes this run back. `report`: how it ended, until the step has. */
export type ChildState = { run: string; since: number; state: ChildReport['state']; asks: string[]; report?: ChildReport };

export type StepState = {
  status: StepStatus;
  startedAt?: number;
  endedAt?: number;
  /**
   * Input after evaluation, or a reference to it: fixed when the step starts, so that every chunk and attempt gets the
   * same. Absent while a worker evaluates it.
   */
  input?: Json;
  /** Of the input, the code's version and all else that the result depends on: what `rerun` compares. */
  inputHash?: string;
  /** Run whose result was taken over: nothing ran in this one. */
  reusedFrom?: string;
  /** What `when` gave; absent until it is known, and without one. */
  when?: boolean;
  skipped?: SkipCause;
  error?: RunError;
  retries?: Retries;
  /** What is done about its failure: steps of its class, and the first of their failures. */
  reaction?: { on: FailureName; error?: RunError };
  sweep?: SweepState;
  loop?: LoopState;
  /** pipeline: the run of this try. */
  child?: ChildState;
  /** poll: what `check` is called with. */
  token?: Json;
  counts?: { [name: string]: number };
  output?: Json;
  decision?: Decision & { at: string };
  /** gate: when an undecided one fails, in milliseconds since the epoch. */
  expiresAt?: number;
};

/** Everything the interpreter knows: plain JSON, carried over continue-as-new. */
export type State = {
  v: 1;
  steps: { [id: string]: StepState };
  /** Fingerprints of the sources; undefined until the run has begun and they were taken. */
  sources?: { [path: string]: SourceFingerprint };
  /** The key that another run holds: nothing begins before the lock has granted it. */
  queued?: { key: string; since: string };
  paused?: PauseRequest & { at: string };
  pauses?: Pause[];
  error?: RunError;
  /** The run that takes this one back because it failed; `begun`: it was asked for. */
  undo?: ChildState & { begun?: true };
  cancelled: boolean;
  /** The newer run of its key that it is cancelled for. */
  displaced?: Displacer;
  /** Its key was held, and it was not to wait. */
  refused?: true;
  /** Keys of commands that have not ended. */
  inflight: string[];
  outputs?: { [name: string]: Json };
};

/** What commands may still take, in bytes, and whether one was held back for it. */
export type Room = { left: number; short: boolean };

/** What a run is given from outside, the same for all its events but `now`. */
export type World = {
  plan: Plan;
  run: RunRef;
  now: number;
  /** What can be sent before the server is known to have it; absent: as much as that is at most. Commands take of it. */
  room?: Room;
  /** What an earlier run has completed. */
  reuse?: Reuse;
};

export const initialState = (plan: Plan): State => ({
  v: 1,
  steps: Object.fromEntries(inside(plan, undefined).map((step) => [step.id, { status: 'waiting' }])),
  cancelled: false,
  inflight: [],
});

export type Phase =
  | 'when'
  | 'input'
  | 'main'
  | 'prepare'
  | 'chunk'
  | 'settle'
  | 'finish'
  | 'check'
  | 'inspect'
  | 'expire'
  | 'retry'
  | 'outputs'
  | 'child'
  | LoopPhase;

/** What a worker does for a loop: parts of its list, keeping rows, making their table. */
export type LoopPhase = 'items' | 'collect' | 'gather';

/** Phases in which a step's own code runs. */
export type ActivityPhase = Exclude<Phase, 'when' | 'input' | 'inspect' | 'expire' | 'retry' | 'outputs' | 'child' | LoopPhase>;

/** What the adapter is to do. A command's key names it in the history too (the activity id). */
export type Command =
  | { do: 'inspect'; key: string }
  /** Expressions over values of the run store, which a worker evaluates. */
  | { do: 'evaluate'; key: string; tree: Json; each?: true }
  | { do: 'activity'; key: string; step: string; phase: ActivityPhase; chunk?: number }
  | { do: 'items'; key: string; step: string; from: number }
  | { do: 'collect'; key: string; step: string; batch: number; rows: TurnRow[] }
  | { do: 'gather'; key: string; step: string }
  /** The run of a pipeline: begun, or waited for where it has begun before (`attach`). */
  | { do: 'child'; key: string; step: string; attach: boolean }
  | { do: 'timer'; key: string; ms: number };

/** Somebody decides; the interpreter notes whether a gate waited for it (`taken`). */
export type DecideEvent = { is: 'decide'; decision: Decision; taken?: true };

/** What has happened. */
export type Event =
  | { is: 'start' }
  /** What was sent has reached the server: there is room for more. */
  | { is: 'room' }
  /** Another run holds the key: the lock answers. */
  | { is: 'queued'; for: string }
  | { is: 'answered'; answer: LockAnswer }
  /** The run could not begin, or cannot go on. */
  | { is: 'refused'; error: RunError }
  | { is: 'ended'; key: string; result: Json }
  | { is: 'failed'; key: string; error: RunError }
  /** The command was given up for continue-as-new and is to be sent again. */
  | { is: 'withdrawn'; key: string }
  | { is: 'pause'; request: PauseRequest }
  | { is: 'resume'; with?: string }
  /** The run of a pipeline says how it stands. */
  | { is: 'report'; report: ChildReport }
  | DecideEvent
  | { is: 'cancel' };

/** `step/phase`, `step/chunk/17` or `step/settle/17`; step ids hold no slash. */
export const keyOf = (step: string, phase: Phase, chunk?: number): string =>
  chunk === undefined ? `${step}/${phase}` : `${step}/${phase}/${chunk}`;
export const parseKey = (key: string): { step: string; phase: Phase; chunk?: number } => {
  const [step, phase, chunk] = key.split('/') as [string, Phase, string?];
  return { step, phase, ...(chunk === undefined ? {} : { chunk: Number(chunk) }) };
};
