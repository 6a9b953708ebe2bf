import type { Json } from '../text/json.ts';
import type { ParamType } from './param-types.ts';
import type { FormerRun } from './former-run.ts';
import type { FileSpec } from './source-spec.ts';
import type { FailureName, Reactions } from './error-classes.ts';
import type { Settled } from './own/settle.ts';
import type { Concurrency, WhenHeld } from './lock.ts';
import type { Notify } from './notify-rule.ts';
import type { PlanWindow, RunTime } from './window.ts';
import type { Scope } from './expressions/evaluate.ts';

/**
 * The compiled plan: plain JSON, frozen, hashed, the workflow's input. Plans live in histories, so these
 * types only grow; a change of meaning is a new `version`.
 */
export const planVersion = 1;

/** How a step can end. Only `failed` is a failure of the run. */
export const endStatuses = ['done', 'tolerated', 'skipped', 'failed', 'cancelled'] as const;
export type EndStatus = (typeof endStatuses)[number];
/** Ends after which a step starts that says nothing else of its need. */
export const usualEnds: readonly EndStatus[] = ['done', 'tolerated'];

export type PlanStep = {
  id: string;
  /** Step name, also the activity type of its main phase; of a pipeline its path as the file has it. */
  use: string;
  /** Version of the step's code as the plan was made; absent: 1. Of a pipeline the name of its plan in `pipelines`. */
  version?: number | string;
  kind: 'call' | 'sweep' | 'poll' | 'gate' | 'loop' | 'pipeline';
  /** Steps that must have ended before this one starts: its references and its `needs`. */
  needs: string[];
  /** By need: the ends under which this step starts; of others it starts after `done` and `tolerated`. */
  accepts?: { [step: string]: EndStatus[] };
  /** A boolean, or an expression that gives one: where it is false the step is skipped. */
  when?: string | boolean;
  /** What is done where the step fails. Absent: the run fails. */
  onError?: Reactions;
  /** Input; strings may hold `${{ }}`. */
  with: Json;
  /** Connection names by service, for the services that the step uses. */
  connections: { [service: string]: string };
  timeouts: { attemptMs: number; deadlineMs: number; pollMs?: number };
  /** Shares (0..1) or counts of items that may end so without failing the step. */
  tolerate?: { [status: string]: { share?: number; count?: number } };
  /** sweep: chunks in flight; loop: turns. */
  window?: number;
  /**
   * loop: what an item is called in expressions, and what the row of its turn holds. Its `with` gives `items`. Of a sweep the turns are
   * done by workers, so many at a time of each chunk.
   */
  each?: { as: string; outputs: { [name: string]: Json }; atOnce?: number };
  /** sweep: chunks under way are given up when the run is paused or, of no loop over rows, continues as new; they go on where they were. */
  goesOn?: true;
  /** The step is carried out however the run ends, also where it is cancelled. */
  finally?: true;
  /** The loop that the step stands in, by its id: it is done once for each item. Its `needs` are steps of the same loop. */
  in?: string;
  /** The step is done about failures of this class of the step that `in` names, instead of once for each item. */
  on?: FailureName;
  /** The step that it takes back, of the same file. */
  undoes?: string;
  /** gate: what its approval lets happen. */
  approves?: Approved[];
  /** The step may do what cannot be taken back: a gate approves it, or whoever started the run. */
  approved?: true;
};

/** A step that a gate approves, and what it does that cannot be taken back. */
export type Approved = { step: string; use: string; acts: string[] };

/**
 * `path` is the name of the source: a path or glob; for CSV files of which the pipeline's file says how they are written that
 * too, and `file` is what it says; for a query its text with its tables. `raw`: no table, but a file of a form as it is, or, with `list`,
 * the files that a loop goes over.
 */
export type PlanSource = {
  step: string;
  field: string;
  path: string;
  raw?: true;
  list?: true;
  file?: Exclude<FileSpec, string>;
  sql?: string;
  tables?: { [table: string]: FileSpec };
};

export type Plan = {
  version: typeof planVersion;
  pipeline: string;
  /** The environment of the file in which it runs, where one was named. */
  environment?: string;
  /** sha256 over the canonical JSON of everything else in the plan. */
  hash: string;
  /** Version of the expression library. */
  cel: string;
  params: { [name: string]: Json };
  /** Ids are unique, also those in loops; each step stands behind what it needs, and behind the loop that it stands in. */
  steps: PlanStep[];
  outputs: { [name: string]: Json };
  /** Every source that a step names, its paths absolute: fingerprinted on the worker before any write. */
  sources: PlanSource[];
  /** What a run looks at that is due at a time: its `schedule` says `window`. */
  window?: PlanWindow;
  /** What only one run may hold at a time; null: nothing. */
  concurrency: Concurrency | null;
  /** Who is alerted to what; absent: nobody. */
  notify?: Notify;
  /** How its steps are taken back. Nothing of it is done in the run itself. */
  undo?: PlannedUndo;
  /** Of a run that takes another one back: nothing of it stands on a step that failed beside it, so a failure ends no other step. */
  undoes?: Undone;
  /** Plans of the pipelines that steps run, each once, by the hash of what it says (sha256 of its canonical JSON). */
  pipelines?: { [hash: string]: SubPlan };
};

/** What takes steps back, and what stands in it, in no order; `none`: steps of which the file says that there is no way back. */
export type PlannedUndo = { steps: PlanStep[]; sources: PlanSource[]; none: string[]; onFailure?: true };

/** The run that is taken back, and the results of it that expressions read. */
export type Undone = { run: string; results: { [step: string]: Json } };

/** The plan of a pipeline that steps run as runs of their own, whose parameters are still open. */
export type SubPlan = {
  /** Absolute path of its file: relative paths in it resolve against its folder. */
  file: string;
  params: { [name: string]: { type: ParamType; default?: Json } };
  /** Fields of its steps that hold paths, and steps that send forms. */
  paths: { [step: string]: string[] };
  /** Of these, fields whose files are taken as they are. */
  lists?: { [step: string]: string[] };
  forms: string[];
  /** The key that its file names: a text with parameters. */
  key?: string;
  /** Where it names none, the datasets that a run of it may hold, of which it holds the first that is known when it starts: texts with parameters. */
  holds: string[];
  whenHeld?: WhenHeld;
  plan: Omit<Plan, 'hash' | 'params' | 'sources' | 'concurrency' | 'pipelines'>;
};

/** The steps of a loop, those in none, or those that are done about failures of this class of a step. */
export const inside = ({ steps }: Plan, of: string | undefined, on?: FailureName): PlanStep[] =>
  steps.filter((step) => step.in === of && step.on === on);

/** A step with all that stands in it. */
export const within = (plan: Plan, step: PlanStep): PlanStep[] => [
  step,
  ...plan.steps.filter((each) => each.in === step.id).flatMap((inner) => within(plan, inner)),
];

/** True of a step of these kinds, and of a loop in which there is one. */
export const holds = (plan: Plan, step: PlanStep, ...kinds: readonly PlanStep['kind'][]): boolean =>
  kinds.includes(step.kind) || inside(plan, step.id).some((inner) => within(plan, inner).some(({ kind }) => kinds.includes(kind)));

/** Where the input of a step stands in its file. */
export const inputInFile = (plan: Pick<Plan, 'steps'>, id: string): string[] => [
  ...placeInFile(plan, id),
  plan.steps.some((step) => step.id === id && step.each) ? 'forEach' : 'with',
];

/** Where a step stands in its file: `steps`, `review`, `steps`, `ask`. */
export const placeInFile = ({ steps, undo }: Pick<Plan, 'steps' | 'undo'>, id: string): string[] => {
  const { in: of, on, finally: final, undoes } = [...steps, ...(undo?.steps ?? [])].find((step) => step.id === id) ?? {};
  if (undoes !== undefined) return ['steps', undoes, 'undo'];
  if (of === undefined) return [final ? 'finally' : 'steps', id];
  return [...placeInFile({ steps, ...(undo && { undo }) }, of), ...(on === undefined ? [] : ['onError', on]), 'steps', id];
};

/**
 * Ends of an earlier run: a result is taken over where the step's input hash is equal; of a step that was skipped, and is again, what
 * follows it can be.
 */
export type Reuse = { [step: string]: ReusedStep | 'skipped' };

export type ReusedStep = {
  hash: string;
  output: Json;
  /** Run that did the work; what it counted stands there. */
  run: string;
};

/** A run, as every activity gets it. */
export type RunRef = {
  /** Human-readable, unique: `ingest-2026-11-21-a7f3c09b`. */
  id: string;
  pipeline: string;
  /** Run store of the run: a file: URI of a directory. */
  store: string;
  /** Folder that relative paths of the file resolve against, and the host that said so. */
  baseDir: string;
  host: string;
  /** Of a run that is a step of another: which one, by the pipeline above and by items, such as `nightly.each[north].load`. */
  as?: string;
  /** When it is due by the plan of its schedule, or was said to be. */
  time?: RunTime;
  /** `rerun`: the runs before it, newest first, and what a person says of items that may have been done. */
  former?: { runs: FormerRun[]; settled?: { [item: string]: Settled } };
  /** The run that it takes back. */
  undoes?: string;
};

/**
 * A run that a step was in an earlier run. `of`: the run above it and the path of the step there, which name its further tries too;
 * `rowsUndone`: the loop in which the step stands was taken back by its rows.
 */
export type FormerTry = FormerRun & { of?: { run: string; path: string; rowsUndone?: true } };

/** What every activity is called with, whatever its phase. */
export type ActivityInput = {
  run: RunRef;
  step: {
    id: string;
    /** Of a step in a turn of a loop its path by the items, such as `review[north].ask`; an item with fields has a hash: `review[{1f0c…}].ask`. */
    byItem?: string;
    /** Of such a step of a rerun: what the loops go over whose items have fields, or a reference to that, by the brackets of the path; else null. */
    lists?: (Json | null)[];
    use: string;
    version?: PlanStep['version'];
    connections: { [service: string]: string };
    tolerate?: PlanStep['tolerate'];
    approved?: true;
    /** Which try of the step this is after the first one, as `onError` has it. */
    retry?: number;
  };
  input: Json;
  /** Fingerprints taken by `inspect` at the start of the run, by path. */
  sources: { [path: string]: SourceFingerprint };
  /** What is done for each row, of a sweep whose turns workers do; when it is prepared. */
  body?: LoopBody;
  /** sweep */
  chunk?: number;
  state?: Json;
  counts?: { [name: string]: number };
  /** poll */
  token?: Json;
};

/** What a worker does for each row of a loop: its steps in their order, and what expressions see beside the row. */
export type LoopBody = NonNullable<PlanStep['each']> & { steps: PlanStep[]; scope: Scope };

/** What `evaluateActivity` is called with. `each`: the tree is a list of names, whose values are kept one by one. */
export type EvaluateInput = { run: RunRef; tree: Json; scope: Scope; each?: true };

/** `landed`: where in the run's folder the files are that were fetched, by name. */
export type SourceFingerprint = { sha256: string; bytes: number; rows: number; landed?: { [file: string]: string } };

/** The activity that makes the folder of a run. */
export const beginActivity = 'portolan:begin';

/** The activity that looks up what the run of a pipeline continues. */
export const takeUpActivity = 'portolan:takeUp';

/** A step in a turn of a loop: its path by the numbers of turns and by their items, of a rerun the lists of these, and the store of its run. */
export type TurnAbove = { step: string; byItem: string; lists?: (Json | null)[]; store: string };

/**
 * `run`: its own id; `before`: runs that it may continue, newest first; `late`: steps whose files are known only when they run; `turn`: that of
 * the loop above it in which it stands.
 */
export type TakeUpInput = { run: string; plan: Plan; before: FormerTry[]; late: string[]; turn?: TurnAbove };
export type TakenUp = { former: FormerRun[]; reuse: Reuse };

/** The activity that fingerprints a run's sources on the worker. */
export const inspectActivity = 'portolan:inspect';

/** The activity that evaluates expressions over values of the run store. */
export const evaluateActivity = 'portolan:evaluate';

/** The activity that puts values into the run store, and what it is called with; it gives the references in their place. */
export const keepActivity = 'portolan:keep';
export type KeepInput = { run: RunRef; values: Json[] };

/** What a turn of a loop gave, by its number from 0. */
export type TurnRow = { turn: number; row: { [name: string]: Json } };

/** A part of the list that a loop goes over, from a place on; `list`: the input of the loop, which stands in the run store. */
export type ItemsInput = { run: RunRef; list: Json; from: number };
export type ItemsPage = { total: number; items: Json[] };

/** Rows of a loop that are to be kept. */
export type CollectInput = { run: RunRef; step: string; batch: number; rows: TurnRow[] };

/** The end of a loop: `columns` of its rows, and what else it gives. */
export type GatherInput = { run: RunRef; step: string; columns: string[]; counts: { count: number; done: number; failed: number } };

/** What workers do for loops, by activity type. */
export const loopActivities = { items: 'portolan:items', collect: 'portolan:collect', gather: 'portolan:gather' } as const;

/** Activity type of a phase of a step; the main phase has the step's own name. */
export const activityType = (use: string, phase: 'main' | 'prepare' | 'finish' | 'check' | 'settle'): string =>
  phase === 'main' ? use : `${use}:${phase}`;
