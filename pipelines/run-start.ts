import type { Json } from '../text/json.ts';
import { sha256Of } from './sandbox-hash.ts';
import { timeOf, type RunTime } from './window.ts';
import type { FormerRun } from './former-run.ts';
import type { FormerTry, Plan, Reuse, RunRef, TurnAbove } from './plan.ts';

/**
 * What started a run: a person's command (`ofSchedule`: it continues a run of that schedule), a Temporal Schedule at a time of its plan
 * (ISO 8601), a step of another run, or the failure of the run that it takes back.
 */
export type RunOrigin =
  | { command: string; undoes?: string; ofSchedule?: string }
  | { schedule: string; at: string }
  | { run: string; step: string }
  | { undoes: string };

/** The run that one takes back (`undoes`), or whose step it is (`above`). */
export function relatedRun(origin: RunOrigin | undefined): { undoes?: string; above?: string } {
  if (origin === undefined) return {};
  if ('undoes' in origin && origin.undoes !== undefined) return { undoes: origin.undoes };
  return 'run' in origin ? { above: origin.run } : {};
}

/** All that a run is beside its plan. Whoever starts one gives it to the workflow, and does nothing else. */
export type RunStart = {
  /** Id of the run; absent: the run makes its own, of its pipeline, its time and its first execution. */
  id?: string;
  /** Run store: a file: URI of the folder above all runs. */
  store: string;
  /** Folder that relative paths of the file resolve against, and the host that said so. */
  baseDir: string;
  host: string;
  /** Who starts it: `user@host`. */
  who: string;
  /** Connection names by service. */
  connections: { [service: string]: string };
  /** Absent: the schedule that has fired. */
  origin?: RunOrigin;
  /** The time that it is for, of a run that no schedule has started (ISO 8601, UTC). */
  at?: string;
  /** Pipeline file, absolute, and the names of the parameters that were given: what a later `rerun` starts from. */
  file?: string;
  given?: string[];
  former?: RunRef['former'];
  /** Of a run that is a step of another: runs that it may continue, newest first, and steps whose files are known only when they run. */
  before?: { runs: FormerTry[]; late: string[] };
  /** Of a run that is a step of another, and of those that continue it: which one, by the pipeline above and by items. */
  as?: string;
  /** Of a run that is a step in a turn of a loop: its step, by number and by items, and the store of the run above it. */
  turn?: TurnAbove;
  /** Of a run that is a step of another: what those above it hold, the nearest one last. */
  above?: HeldAbove[];
};

/** A key that a run above holds. */
export type HeldAbove = { key: string; run: string };

/** What the workflow `runPipelineV1` is started with, by whomever. `state` and `noticed` are set by continue-as-new only. */
export type RunInput = {
  plan: Plan;
  start: RunStart;
  state?: Json;
  /** Ids of occasions that alerts have been begun for. */
  noticed?: string[];
  /** `rerun`: what an earlier run has completed, by step. */
  reuse?: Reuse;
};

/** A start whose run has its id. */
export type NamedStart = RunStart & { id: string };

/** What is known of a run wherever it is listed: part of its memo and of its `run.json`. */
export type RunFacts = {
  run: string;
  pipeline: string;
  environment?: string;
  planHash: string;
  store: string;
  connections: { [service: string]: string };
  startedBy: string;
  /** Absent where somebody started the workflow by hand. */
  origin?: RunOrigin;
  /** When it was due, and its window. */
  time?: RunTime;
  /** The runs that this one continues, newest first. */
  former?: FormerRun[];
  /** Of a run that is a step of another, and of those that continue it: which one. */
  as?: string;
};

/** A readable, unique run id: `ingest-2026-11-21-a7f3c09b`, with the date in UTC, so that ids of all hosts sort alike. */
export const runIdOf = (pipeline: string, at: Date, hex: string): string => `${pipeline}-${at.toISOString().slice(0, 10)}-${hex}`;

/** Longest id of a run: its folder has the same name. */
const longestId = 200;

/**
 * Id of the run of a pipeline that is a step of another run: `nightly-2026-11-21-a7f3c09b.each-17-ingest`, with the number of its try
 * behind it from the second one on. Names of steps hold no hyphen, so that no two steps have the same.
 */
export function childRunId(run: string, path: string, turn: number): string {
  const id = `${run}.${path.replaceAll(/\[(\w+)\]\./g, '-$1-')}${turn > 1 ? `-${turn}` : ''}`;
  return id.length <= longestId ? id : `${id.slice(0, longestId - 13)}-${sha256Of(id).slice(0, 12)}`;
}

/** The run of a start, as its activities get it. */
export function runOf({ pipeline, window, undoes }: Pick<Plan, 'pipeline' | 'window' | 'undoes'>, start: NamedStart): RunRef {
  const { id, store, baseDir, host, former, origin, as } = start;
  const at = start.at ?? (origin && 'schedule' in origin ? origin.at : undefined);
  return {
    id,
    pipeline,
    store: `${store.replace(/\/$/, '')}/${id}`,
    baseDir,
    host,
    ...(as === undefined ? {} : { as }),
    ...(at === undefined ? {} : { time: timeOf(Date.parse(at), window) }),
    ...(former && { former }),
    ...(undoes && { undoes: undoes.run }),
  };
}

export function factsOf(plan: Pick<Plan, 'pipeline' | 'environment' | 'hash' | 'window'>, start: NamedStart): RunFacts {
  const { id, store, time } = runOf(plan, start);
  const { connections, who, origin, former, as } = start;
  return {
    run: id,
    pipeline: plan.pipeline,
    ...(plan.environment === undefined ? {} : { environment: plan.environment }),
    planHash: plan.hash,
    store,
    connections,
    startedBy: who,
    ...(origin && { origin }),
    ...(time && { time }),
    ...(former && { former: former.runs }),
    ...(as === undefined ? {} : { as }),
  };
}
