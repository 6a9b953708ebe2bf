import { existsSync } from 'node:fs';
import { isOutdated } from '../../pipelines/budgets/outdated.ts';
import type { FormerRun } from '../../pipelines/former-run.ts';
import { storeBeside } from '../../text/store-beside.ts';
import { inside, type FormerTry, type Plan, type Reuse, type TakeUpInput, type TakenUp, type TurnAbove } from '../../pipelines/plan.ts';
import { childRunId } from '../../pipelines/run-start.ts';
import { Continued, Undecided } from '../../errors/classes.ts';
import { continuationsOf } from '../../store/continuation.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { goneFile } from '../../store/gone-file.ts';
import { keptValue } from '../../store/kept-values.ts';
import { gaveRow } from '../../store/kept-rows.ts';
import { readKeptView, viewFile } from '../../store/kept-view.ts';
import type { RunStore } from '../../store/run-store.ts';
import { formerTurn } from '../../store/turns.ts';
import { halfUndone, halfWords } from '../../store/half-undone.ts';
import { withUndone } from '../../store/undo-runs.ts';
import type { Json } from '../../text/json.ts';
import { toFailure } from './failure.ts';
import { sayFate } from '../../pipelines/own/settle.ts';
import { argument } from '../../text/shell.ts';

/** What is read of the view of an earlier run. */
type View = {
  run: string;
  state: string;
  steps: {
    id: string;
    use: string;
    status: string;
    error?: { type: string };
    skipped?: { because: string };
    inputHash?: string;
    output?: Json;
    reusedFrom?: string;
  }[];
};

/**
 * Which runs the run of a pipeline continues, newest first: those that the same step of earlier runs was, and its tries; and what the newest
 * of them has completed. Where nobody wrote down how that ended nothing is taken over; what it did is asked of its journals all the same.
 */
export async function takeUp({ run: own, plan, before, late, turn }: TakeUpInput): Promise<TakenUp> {
  try {
    // Done again after a kill it finds the folder that the run itself has made.
    const placed = await placedOf(before, turn);
    const tries = placed.flatMap(triesOf).filter(({ run, store }) => run !== own && existsSync(createRunStore(store).path()));
    // Somebody may have gone on with the run of a step by itself.
    const there = tries.flatMap((each) => [...continuationsOf(each).filter(({ run }) => run !== own), each]);
    const once = there.filter(({ run }, at) => there.findIndex((each) => each.run === run) === at);
    const [last] = once;
    if (last && !tries.some(({ run }) => run === last.run) && isOpen(last)) throw new Continued(tries[0]!.run, last.run);
    await refuseHalfUndone(once);
    const former = await withUndone(once);
    return { former, reuse: await completedBy(former, plan, late) };
  } catch (error) {
    throw toFailure(error);
  }
}

async function refuseHalfUndone(runs: readonly FormerRun[]): Promise<void> {
  const [found] = await halfUndone(runs);
  if (!found) return;
  const [step, half] = found;
  const [last] = runs;
  const { view } = (await readKeptView<View>(createRunStore(last!.store))) ?? {};
  const from = view?.state === 'done' ? ` --from ${argument(step)}` : '';
  throw new Undecided(
    `${halfWords(step, half)}; go on with it (portolan undo ${half.of}), then again; or go on with that run by itself, and say what became of the step: portolan rerun ${last!.run}${from} ${sayFate(step, 'done')} (or =again)`,
  );
}

/** Nobody has written down how a run ended whose folder is there. */
const isOpen = ({ store }: Pick<FormerRun, 'store'>): boolean =>
  existsSync(createRunStore(store).path()) && !existsSync(createRunStore(store).path(viewFile));

/** The step as it was in earlier runs, newest first; of one that was taken back with the row of its turn nothing holds, nor of those before. */
async function placedOf(before: readonly FormerTry[], turn: TurnAbove | undefined): Promise<FormerTry[]> {
  const placed: FormerTry[] = [];
  for (const former of before) {
    const [there] = await ofItem(former, turn);
    if (there?.of?.rowsUndone && (await gaveRow(storeAbove(there, there.of.run), there.of.path))) break;
    if (there) placed.push(there);
  }
  return placed;
}

/** The step as it was for the item of its turn, whatever place that had; none where it was not begun for it. */
async function ofItem(former: FormerTry, turn: TurnAbove | undefined): Promise<FormerTry[]> {
  const { of } = former;
  if (!of || !turn) return [former];
  const store = storeAbove(former, of.run);
  const path = await formerTurn({ run: of.run, store, step: of.path }, { ...turn, store: createRunStore(turn.store) });
  return path === undefined ? [] : [{ ...former, of: { ...of, path } }];
}

const storeAbove = (former: Pick<FormerRun, 'store'>, run: string): RunStore => createRunStore(storeBeside(former, run));

/** Tries that a step may have. */
const mostTries = 101;

/** The tries of a step, the last one first. One that could not begin has no folder, and those after it have. */
function triesOf({ of, ...first }: FormerTry): FormerRun[] {
  if (!of) return [first];
  const ids = Array.from({ length: mostTries }, (_, at) => childRunId(of.run, of.path, mostTries - at));
  return ids.map((run) => ({ ...first, run, store: storeBeside(first, run) }));
}

/** What the newest of these runs has completed, or had taken over from those before it, and what was not taken back. */
async function completedBy(former: readonly FormerRun[], plan: Plan, late: readonly string[]): Promise<Reuse> {
  const [newest] = former;
  if (!newest) return {};
  const store = createRunStore(newest.store);
  const kept = await readKeptView<View>(store);
  if (!kept) return {};
  const otherCode = new Set((await store.events()).filter(({ kind }) => kind === 'code').map(({ step }) => step));
  const reuse: Reuse = {};
  for (const { id, use } of inside(plan, undefined)) {
    const done = kept.view.steps.find((step) => step.id === id && step.use === use);
    if (done?.status === 'skipped' && done.skipped?.because !== 'failure') reuse[id] = 'skipped';
    if (done?.status !== 'done' || done.inputHash === undefined || late.includes(id) || otherCode.has(id)) continue;
    if (isOutdated(use, kept.view.steps)) continue;
    const by = former.find(({ run }) => run === done.reusedFrom);
    if ([newest, by].some((each) => each?.undone?.includes(id) || each?.rowsUndone?.includes(id))) continue;
    const output = done.output ?? null;
    if (goneFile(output) !== undefined || goneFile(await keptValue(output).catch(() => null)) !== undefined) continue;
    reuse[id] = { hash: done.inputHash, output, run: done.reusedFrom ?? kept.view.run };
  }
  return reuse;
}
