import { sayFate, saidOf, type Settled } from '../../pipelines/own/settle.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { actsOnce } from '../../runs/acts-once.ts';
import type { RunLocation, RunPlace } from '../../runs/find.ts';
import { laterRuns, type LaterRun } from '../../runs/later-runs.ts';
import { beingUndone, readUndoRuns } from '../../runs/undo-ends.ts';
import { undoneOf } from '../../runs/undone.ts';
import { endedBelow } from '../../runs/open-below.ts';
import { isOver, type RunSnapshot } from '../../runs/view.ts';
import { halfUndone, halfWords, type HalfUndone } from '../../store/half-undone.ts';
import { UsageError } from '../frame/errors.ts';
import { argument } from '../../text/shell.ts';

/** The new run: its plan, its steps, its file as a person names it, the step that was named as the first, and what a person has said. */
type New = {
  plan: Plan;
  steps: Readonly<Record<string, Step>>;
  shown: string;
  from: string | undefined;
  settled: Readonly<Record<string, Settled>>;
};

/**
 * Runs that went on from the run that is to be continued, newest first, which the new one must know too, and the steps that were taken back
 * since; `again`: those of which a person says so. Fails where one of them, or a run of their steps, goes on, where nobody has said what became of a step whose undo
 * failed; and, where something must not be done twice, where the newest has done all of it, and where what they did cannot be put together.
 */
export async function wentOn(
  place: RunPlace,
  { view, store }: Pick<RunSnapshot, 'view' | 'store'>,
  { former }: Pick<RunLocation, 'former'>,
  { plan, steps, shown, from, settled }: New,
): Promise<{ later: LaterRun['former'][]; undone: Map<string, string>; again: string[] }> {
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
      `see what each did (portolan items RUN), then start what is left as a run of its own: portolan run ${argument(shown)}`,
    );
  const later = runs.map((each) => each.former);
  for (const each of [{ run, store }, ...later])
    for (const { former: undo, snapshot } of await readUndoRuns(place, each))
      if (!isOver(snapshot.view)) throw beingUndone(each.run, undo.run, snapshot.view.state);
  for (const each of [run, ...later.map((other) => other.run)]) await endedBelow(place, each, 'rerun');
  const known = [{ view, store }, ...runs.flatMap(({ snapshot }) => snapshot ?? []).toReversed()];
  const undone = new Map<string, string>();
  for (const each of known) for (const [step, by] of await undoneOf(each)) undone.set(step, by);
  const again: string[] = [];
  const newestFirst = [
    ...runs.map((each) => ({ ...each.former, ...stepsOf(each.snapshot) })),
    { run, store, ...stepsOf({ view }) },
    ...(former ?? []),
  ];
  for (const [step, half] of await halfUndone(newestFirst)) {
    if (undone.has(step)) continue;
    const said = saidOf(settled, step);
    if (said === undefined) throw questionOf(step, half);
    if (said === 'done') continue;
    again.push(step);
    undone.set(step, half.by);
  }
  return { later, undone, again };
}

const stepsOf = (snapshot: Pick<RunSnapshot, 'view'> | undefined) => snapshot && { steps: snapshot.view.steps };

const questionOf = (step: string, half: HalfUndone): UsageError =>
  new UsageError(
    halfWords(step, half),
    `go on with it (portolan undo ${half.of}), then again; or see what it did (portolan why ${half.by}), and say so: ${sayFate(step, 'done')} where all of the step stands, ${sayFate(step, 'again')} where nothing of it does`,
  );
