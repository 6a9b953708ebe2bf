import { idInPlan } from '../../pipelines/id-in-plan.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { rowsLoop } from '../../pipelines/steps/rows-loop.ts';
import type { Step } from '../../pipelines/step.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { RunView } from '../../workflows/messages.ts';
import { UsageError } from '../frame/errors.ts';

type Steps = Readonly<Record<string, Step>>;

/** Ends of items that a step may tolerate. */
const toleratedBy = (use: string | undefined, steps: Steps): readonly string[] =>
  (use === rowsLoop.name ? rowsLoop : use === undefined ? undefined : steps[use])?.tolerates ?? [];

/** The outermost loops in whose turns items ended otherwise than done: of those steps the run shows none. */
async function loopsLeft(store: Pick<RunStore, 'countItems'>, { steps: planned }: Plan, steps: Steps): Promise<Set<string>> {
  const uses = new Map(planned.map(({ id, use }) => [id, use]));
  const counts = planned.some(({ kind }) => kind === 'loop') ? await store.countItems() : [];
  return new Set(
    counts.flatMap(({ step, status }) => {
      const [loop] = step.split('[', 1) as [string];
      const use = uses.get(idInPlan(step));
      return loop !== step && toleratedBy(use, steps).includes(status) ? [loop] : [];
    }),
  );
}

/** The first step of a run that did not come to its end, failed, or has items or turns that ended otherwise than done. Fails where there is none. */
export async function firstUndone(
  { run, steps: views }: RunView,
  { store, plan, steps }: { store: Pick<RunStore, 'countItems'>; plan: Plan; steps: Steps },
): Promise<string> {
  const loops = await loopsLeft(store, plan, steps);
  const left = views.find(
    ({ id, use, status, counts = {}, loop }) =>
      (status !== 'done' && status !== 'skipped') ||
      (loop?.failed ?? 0) > 0 ||
      loops.has(id) ||
      toleratedBy(use, steps).some((fate) => (counts[fate] ?? 0) > 0),
  );
  if (left) return left.id;
  const [child] = views.flatMap(({ child: own }) => own ?? []);
  throw new UsageError(
    `run ${run} has no item that is not done`,
    child ? `those of a run that is a step of it: portolan rerun ${child.run} --failed-only` : `all of them: portolan items ${run}`,
  );
}
