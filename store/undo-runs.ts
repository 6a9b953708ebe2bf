import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { goesOverRows, perhapsTakenBack, undoRunId } from '../pipelines/undo-ids.ts';
import { createRunStore } from './create-run-store.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { storeBeside } from '../text/store-beside.ts';
import { readKeptView } from './kept-view.ts';
import { takenOver } from './taken-over.ts';
import { planFile, recordFile } from './run-record.ts';

type View = { steps: Parameters<typeof perhapsTakenBack>[0] };
type UndoPlan = { steps: { undoes?: string }[] };
type LoopsPlan = { steps: { id: string; in?: string; each?: unknown }[] };

/** Runs that take one run back that are looked for. */
const mostUndos = 100;

/**
 * The runs that take a run back, the first one first: their folders stand beside its own. One that was terminated before it began has none.
 */
export function undoRuns({ run, store }: Of): { run: string; store: string }[] {
  const folder = dirname(createRunStore(store).path());
  const there = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return Array.from({ length: mostUndos }, (_, at) => undoRunId(run, at + 1)).flatMap((id) =>
    there.has(id) ? [{ run: id, store: storeBeside({ store }, id) }] : [],
  );
}

type Of = Pick<FormerRun, 'run' | 'store'>;

/** When a run began (ISO 8601); undefined where its record is gone. */
const begunAt = async ({ store }: Pick<FormerRun, 'store'>): Promise<string | undefined> =>
  (
    await createRunStore(store)
      .readJson<{ startedAt?: string }>(recordFile)
      .catch(() => undefined)
  )?.startedAt;

/** True of a run that was begun since another one, and where nobody knows it. */
export async function isSince(run: Of, other: Of): Promise<boolean> {
  const [at, since] = await Promise.all([begunAt(run), begunAt(other)]);
  return at === undefined || since === undefined || at >= since;
}

/**
 * The runs that take one of two runs back that share work, and that were begun since the other one was: of what had been taken back before,
 * that one took over nothing, unless a person had said that it stands.
 */
export async function undoRunsSince(of: Of, other: Of): Promise<Of[]> {
  const found: Of[] = [];
  for (const undo of undoRuns(of)) if (await isSince(undo, other)) found.push(undo);
  return found;
}

/**
 * Steps of a run that were taken back, by the run that did it; also those that may have been, because that run was terminated, and those that
 * had taken over what was taken back with the run that did it.
 */
export const undoneSteps = async (of: Of): Promise<Map<string, string>> => new Map([...(await undoneBefore(of)), ...(await ownUndone(of))]);

/** Steps of a run that had taken over what an earlier run had done, and what was taken back with that one, by the run that did so. */
async function undoneBefore(of: Of): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const shared of await sharedBefore(of)) {
    const by = await undoneElsewhere(of, shared);
    if (by !== undefined) found.set(shared.step, by);
  }
  return found;
}

/** A step of a run that had taken over what another run had done by one named `was`, or that one what this one had done. */
export type Shared = { step: string; other: Of; was: string };

/** What a run had taken over, step by step. */
export const sharedBefore = async (of: Of): Promise<Shared[]> =>
  (await takenOver(createRunStore(of.store))).map(({ step, run, was }) => ({ step, other: { run, store: storeBeside(of, run) }, was }));

/** What a later run had taken over of a run, step by step. */
export const sharedAfter = async (of: Of, later: Of): Promise<Shared[]> =>
  (await takenOver(createRunStore(later.store))).flatMap(({ step, run, was }) =>
    run === of.run ? [{ step: was, other: later, was: step }] : [],
  );

/** The run that took another one back, and with it all that a step of this run did; undefined where none did, or not all of it. */
export async function undoneElsewhere(of: Of, { step, other, was }: Shared): Promise<string | undefined> {
  const by = (await ownUndone(other, await undoRunsSince(other, of))).get(was);
  return by !== undefined && (await isSameWork({ ...other, step: was }, { ...of, step })) ? by : undefined;
}

type Ended = { id: string; inputHash?: string; loop?: { failed?: number }; counts?: { [count: string]: number } };

/**
 * Whether what was taken back of one run is all that another did by a step: of one call both know it, of items or turns only where they were
 * the same and none had failed.
 */
async function isSameWork(undone: Of & { step: string }, other: Of & { step: string }): Promise<boolean> {
  const plan = await createRunStore(undone.store)
    .readJson<{ steps: { id: string; kind: string }[] }>(planFile)
    .catch(() => undefined);
  const kind = plan?.steps.find(({ id }) => id === undone.step)?.kind;
  if (kind === 'call' || kind === 'poll') return true;
  const [one, two] = await Promise.all([endOf(undone), endOf(other)]);
  return one?.inputHash !== undefined && one.inputHash === two?.inputHash && (one.loop?.failed ?? one.counts?.['failed'] ?? 0) === 0;
}

const endOf = async ({ store, step }: { store: string; step: string }): Promise<Ended | undefined> =>
  (await readKeptView<{ steps: Ended[] }>(createRunStore(store)))?.view.steps.find(({ id }) => id === step);

/** By runs that take it back, which are all of them unless some are named. */
export async function ownUndone(of: Of, undoing = undoRuns(of)): Promise<Map<string, string>> {
  const undone = new Map<string, string>();
  for (const { run, store } of undoing) {
    const folder = createRunStore(store);
    const kept = await readKeptView<View>(folder);
    const planned = kept ? undefined : await folder.readJson<UndoPlan>(planFile).catch(() => undefined);
    const steps = kept ? perhapsTakenBack(kept.view.steps) : (planned?.steps.flatMap(({ undoes }) => undoes ?? []) ?? []);
    for (const step of steps) if (!undone.has(step)) undone.set(step, run);
  }
  return undone;
}

/** Earlier runs, each with what was taken back of it. */
export const withUndone = <F extends FormerRun>(runs: readonly F[]): Promise<F[]> =>
  Promise.all(
    runs.map(async (run) => {
      const taken = [...(await undoneSteps(run))];
      if (taken.length === 0) return run;
      const rowsUndone: string[] = [];
      for (const [step, by] of taken) if (await isByRows(run, step, by)) rowsUndone.push(step);
      const undone = taken.flatMap(([step]) => (rowsUndone.includes(step) ? [] : [step]));
      return { ...run, ...(undone.length > 0 && { undone }), ...(rowsUndone.length > 0 && { rowsUndone }) };
    }),
  );

/** True of a loop that was taken back by what its turns gave: a turn that failed gave nothing. */
async function isByRows({ store }: Pick<FormerRun, 'store'>, step: string, by: string): Promise<boolean> {
  const { steps = [] } =
    (await createRunStore(store)
      .readJson<LoopsPlan>(planFile)
      .catch(() => undefined)) ?? {};
  if (steps.find(({ id }) => id === step)?.each === undefined) return false;
  const undo = createRunStore(storeBeside({ store }, by));
  return goesOverRows((await undo.readJson<LoopsPlan>(planFile).catch(() => undefined))?.steps ?? [], step);
}
