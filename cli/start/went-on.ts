import type { Plan } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { actsOnce } from '../../runs/acts-once.ts';
import type { RunLocation, RunPlace } from '../../runs/find.ts';
import { laterRuns, type LaterRun } from '../../runs/later-runs.ts';
import { readUndoRuns } from '../../runs/undo-ends.ts';
import { undoneOf } from '../../runs/undone.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import { UsageError } from '../frame/errors.ts';

/** The new run: its plan, its steps, its file as a person names it, and the step that was named as the first. */
type New = { plan: Plan; steps: Readonly<Record<string, Step>>; shown: string; from: string | undefined };

/**
 * Runs that went on from the run that is to be continued, newest first, which the new one must know too, and the steps that were taken back
 * since. Fails where one of them goes on; and, where something must not be done twice, where the newest has done all of it, and where what they
 * did cannot be put together.
 */
export async function wentOn(
  place: RunPlace,
  { view, store }: Pick<RunSnapshot, 'view' | 'store'>,
  { former }: Pick<RunLocation, 'former'>,
  { plan, steps, shown, from }: New,
): Promise<{ later: LaterRun['former'][]; undone: Map<string, string> }> {
  const { run } = view;
  const { runs, apart } = await laterRuns(place, { run, store, ...(former && { former }) });
  const [newest] = runs;
  const once = actsOnce(plan, steps);
  if (once && newest?.snapshot?.view.state === 'done' && from === undefined)
    throw new UsageError(
      `run ${run} was continued by run ${newest.former.run}, which is done`,
      `to do it again from a step on: portolan rerun ${newest.former.run} --from STEP`,
    );
  if (once && apart)
    throw new UsageError(
      `runs ${apart.join(' and ')} both continue run ${run}, and neither knows what the other one did`,
      `see what each did (portolan items RUN), then start what is left as a run of its own: portolan run ${shown}`,
    );
  const later = runs.map((each) => each.former);
  for (const each of [{ run, store }, ...later]) await readUndoRuns(place, each);
  const known = [{ view, store }, ...runs.flatMap(({ snapshot }) => snapshot ?? [])];
  const undone = await Promise.all(known.map(undoneOf));
  return { later, undone: new Map(undone.flatMap((each) => [...each])) };
}
