import { goesOverRows, takenBack, undoId } from '../pipelines/undo-ids.ts';
import { undoneBlindly, undoPlan } from '../pipelines/undo.ts';
import { changes } from '../pipelines/forecast/changes.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { storeBeside } from '../text/store-beside.ts';
import { holds, inside, within, type Plan, type PlanStep } from '../pipelines/plan.ts';
import type { Step } from '../pipelines/step.ts';
import { sharedAfter, sharedBefore, undoneElsewhere, undoRunsSince, type Shared } from '../store/undo-runs.ts';
import type { StepView } from '../workflows/messages.ts';
import { counted } from '../text/units.ts';
import { RunProblem } from './errors.ts';
import { readRecord, storedRuns, type StoredPlace } from './find.ts';
import { endedBelow } from './open-below.ts';
import { beingUndone, nextUndo, readUndoRuns } from './undo-ends.ts';
import { isOver, type RunSnapshot } from './view.ts';

/** What taking a run back comes to. */
export type Undo = {
  /** Id of the run that does it. */
  id: string;
  /** Absent: there is nothing (more) to take back. */
  plan?: Plan;
  /** Runs that took steps of it back before, newest first. */
  former: FormerRun[];
  /** Runs that took back a part of what its steps did, with another run that shares it: what they have done is not done again. */
  beside: FormerRun[];
  /** Steps that were taken back with another run that this one had taken them over from, or that had taken them over, by the run that did so. */
  elsewhere: ReadonlyMap<string, string>;
  /** What the run has done and stays done, with the reason. */
  stays: { step: string; why: string }[];
  /** Steps that failed or were cancelled, and can be taken back although nobody knows what they had done. */
  offers: string[];
};

/** Works out what taking a run back comes to. Fails with `RunProblem` while another run does it, or a run of its steps goes on, and where nobody knows what one did. */
export async function readUndo(
  place: StoredPlace,
  { view, store }: Pick<RunSnapshot, 'view' | 'store'>,
  plan: Plan,
  { steps, accept, failed }: { steps: Readonly<Record<string, Step>>; accept: readonly string[]; failed: readonly string[] },
): Promise<Undo> {
  const undoing = await readUndoRuns(place, { run: view.run, store });
  const already = new Set<string>();
  for (const { snapshot } of undoing) for (const step of takenBack(endOf(view.run, snapshot))) already.add(step);
  const { elsewhere, beside } = await undoneWithOthers(place, { run: view.run, store }, plan);
  for (const step of elsewhere.keys()) already.add(step);
  const former = undoing.map((each) => each.former);
  const id = await nextUndo(place, { run: view.run, store });
  await endedBelow(place, view.run, 'undo');
  const offers = view.steps.flatMap(({ id, status, startedAt }) =>
    startedAt !== undefined && (status === 'failed' || status === 'cancelled') && !already.has(id) && undoneBlindly(plan, id) ? [id] : [],
  );
  const also = new Set(failed.filter((id) => offers.includes(id)));
  const undo = undoPlan(plan, { run: view.run, ended: view.steps, already, failed: also, accept });
  const gone = new Set([...already, ...(undo?.steps.map(({ undoes }) => undoes ?? '') ?? [])]);
  return {
    id,
    ...(undo && { plan: undo }),
    former: former.toReversed(),
    beside,
    elsewhere,
    stays: [
      ...[...elsewhere].map(([step, by]) => ({ step, why: `${by} has taken it back` })),
      ...staying(view.steps, plan, { steps, gone, offers }),
    ],
    offers,
  };
}

/**
 * What was taken back with another run, which had done it before this one took it over, or had taken it over from this one: whole steps, and
 * the runs that took back a part of a step.
 */
async function undoneWithOthers(place: StoredPlace, of: Of, plan: Plan): Promise<Pick<Undo, 'elsewhere' | 'beside'>> {
  const elsewhere = new Map<string, string>();
  const parts: Shared[] = [];
  for (const shared of await sharedWork(place, of)) {
    const by = await undoneElsewhere(of, shared);
    if (by === undefined && isPart(plan, shared.step)) parts.push(shared);
    else if (by === undefined) continue;
    else if (!elsewhere.has(shared.step)) elsewhere.set(shared.step, by);
  }
  const beside: FormerRun[] = [];
  for (const shares of Map.groupBy(parts, ({ other }) => other.run).values()) {
    const { other } = shares[0]!;
    const only = { of: other.run, steps: shares.map(({ step }) => undoId(step)) };
    const renamed = Object.fromEntries(shares.flatMap(({ step, was }) => (step === was ? [] : [[undoId(step), undoId(was)]])));
    const since = new Set((await undoRunsSince(other, of)).map(({ run }) => run));
    for (const { former, snapshot } of await readUndoRuns(place, other)) {
      if (!since.has(former.run)) continue;
      endOf(other.run, snapshot);
      beside.unshift({ ...former, only, ...(Object.keys(renamed).length > 0 && { renamed }) });
    }
  }
  return { elsewhere, beside };
}

/** True of a step that is shared as a whole, or taken back part by part. What takes all of a loop back at once knows nothing of what is shared. */
function isPart({ steps, undo }: Plan, step: string): boolean {
  const of = steps.find(({ id }) => id === step);
  const by = undo?.steps.find(({ undoes }) => undoes === step);
  return of?.kind === 'call' || of?.kind === 'poll' || by?.kind === 'loop' || by?.kind === 'sweep';
}

/** What a run had taken over from others, and they from it. */
async function sharedWork({ storeRoot }: StoredPlace, of: Of): Promise<Shared[]> {
  const found = await sharedBefore(of);
  for (const run of await storedRuns(storeRoot)) {
    const record = await readRecord(storeRoot, run).catch(() => undefined);
    if (!record?.former?.some((former) => former.run === of.run)) continue;
    found.push(...(await sharedAfter(of, { run, store: storeBeside(of, run) })));
  }
  return found;
}

type Of = Pick<FormerRun, 'run' | 'store'>;

/** Steps of a run that takes another one back. Fails while it goes on, and where nobody knows what it did. */
function endOf(of: string, { view, source }: RunSnapshot): readonly StepView[] {
  const { run, state, steps } = view;
  if (isOver(view) && steps.length > 0) return steps;
  const unknown = `nobody knows what ${run} has taken back of run ${of}`;
  // Of a run that the cluster has forgotten its folder says no more.
  if (source === 'store') throw new RunProblem(unknown, `look at what it sent: portolan items ${run}`);
  if (!isOver(view)) throw beingUndone(of, run, state);
  throw new RunProblem(`${unknown}: somebody terminated it, and no worker answers`, 'start one, which reads its history: portolan worker');
}

type Known = { steps: Readonly<Record<string, Step>>; gone: ReadonlySet<string>; offers: readonly string[] };

/** What stays done of a run, step by step; what changes nothing is not spoken of. */
function staying(views: readonly StepView[], plan: Plan, { steps, gone, offers }: Known): Undo['stays'] {
  const none = new Set(plan.undo?.none);
  return inside(plan, undefined).flatMap((step) => {
    const view = views.find(({ id }) => id === step.id);
    if (gone.has(step.id)) return failedTurns(step, view, plan);
    if (!view?.startedAt || !within(plan, step).some((each) => changes(each, steps))) return [];
    const holdsRuns = step.kind === 'loop' && holds(plan, step, 'pipeline');
    const why = whyStays(step, view, { none: none.has(step.id), offered: offers.includes(step.id), holdsRuns });
    return why === undefined ? [] : [{ step: step.id, why }];
  });
}

/** What turns of a loop had done that failed, where its undo goes over the rows of the others. */
function failedTurns({ id, each }: PlanStep, view: StepView | undefined, { undo }: Plan): Undo['stays'] {
  const failed = view?.loop?.failed ?? view?.counts?.['failed'] ?? 0;
  if (!each || failed === 0 || !goesOverRows(undo?.steps ?? [], id)) return [];
  return [{ step: id, why: `what ${counted(failed, 'turn')} had done that failed: its undo goes over the rows that the others gave` }];
}

function whyStays(
  { kind }: PlanStep,
  { id, status, reusedFrom, child }: StepView,
  { none, offered, holdsRuns }: { none: boolean; offered: boolean; holdsRuns: boolean },
): string | undefined {
  if (status === 'skipped') return undefined;
  if (reusedFrom !== undefined) return `run ${reusedFrom} did it: portolan undo ${reusedFrom}`;
  if (kind === 'pipeline' && child) return `it was run ${child.run}: portolan undo ${child.run}`;
  if (none) return 'there is no way back (undo: none)';
  const runs = holdsRuns ? '; the runs of its turns are taken back by their ids: portolan runs --children' : '';
  if (status !== 'failed' && status !== 'cancelled') return `nothing is said of its undo${runs}`;
  const unknown = `${status === 'failed' ? 'it failed' : 'it was cancelled'}: what it had done until then is not known`;
  return offered ? `${unknown}, and its undo reads nothing of it: --failed ${id} takes it back too` : `${unknown} to its undo${runs}`;
}
