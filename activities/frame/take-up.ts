import { existsSync } from 'node:fs';
import { inside, type FormerRun, type Plan, type Reuse, type TakeUpInput, type TakenUp } from '../../pipelines/plan.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { goneFile } from '../../store/gone-file.ts';
import { keptValue } from '../../store/kept-values.ts';
import { readKeptView } from '../../store/kept-view.ts';
import { withUndone } from '../../store/undo-runs.ts';
import type { Json } from '../../text/json.ts';
import { toFailure } from './failure.ts';

/** What is read of the view of an earlier run. */
type View = {
  run: string;
  steps: {
    id: string;
    use: string;
    status: string;
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
export async function takeUp({ plan, before, late }: TakeUpInput): Promise<TakenUp> {
  try {
    const there = before.flatMap(triesOf).filter(({ store }) => existsSync(createRunStore(store).path()));
    // A try is named by those after it too.
    const once = there.filter(({ run }, at) => there.findIndex((each) => each.run === run) === at);
    const former = await withUndone(once);
    const [newest] = former;
    return { former, reuse: newest ? await completedBy(newest, plan, late) : {} };
  } catch (error) {
    throw toFailure(error);
  }
}

/** Tries that a step may have. */
const mostTries = 101;

/** A run, and behind it the further tries of its step, the last one first. */
function triesOf({ run, store, ...more }: FormerRun): FormerRun[] {
  const tries = [{ run, store, ...more }];
  for (let turn = 2; turn <= mostTries; turn++) {
    const further = { run: `${run}-${turn}`, store: `${store}-${turn}`, ...more };
    if (!existsSync(createRunStore(further.store).path())) break;
    tries.unshift(further);
  }
  return tries;
}

async function completedBy({ store: folder, undone }: FormerRun, plan: Plan, late: readonly string[]): Promise<Reuse> {
  const store = createRunStore(folder);
  const kept = await readKeptView<View>(store);
  if (!kept) return {};
  const otherCode = new Set((await store.events()).filter(({ kind }) => kind === 'code').map(({ step }) => step));
  const reuse: Reuse = {};
  for (const { id, use } of inside(plan, undefined)) {
    const done = kept.view.steps.find((step) => step.id === id && step.use === use);
    if (done?.status === 'skipped' && done.skipped?.because !== 'failure') reuse[id] = 'skipped';
    if (done?.status !== 'done' || done.inputHash === undefined || late.includes(id) || otherCode.has(id) || undone?.includes(id)) continue;
    const output = done.output ?? null;
    if (goneFile(output) !== undefined || goneFile(await keptValue(output).catch(() => null)) !== undefined) continue;
    reuse[id] = { hash: done.inputHash, output, run: done.reusedFrom ?? kept.view.run };
  }
  return reuse;
}
