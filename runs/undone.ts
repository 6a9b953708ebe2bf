import { storeBeside } from '../text/store-beside.ts';
import { halfUndone, undoneSteps } from '../store/undo-runs.ts';
import type { RunSnapshot } from './view.ts';

type Undone = { undone: Map<string, string>; half: Map<string, string> };

/** Steps of a run that were taken back, and those of which nobody knows how much was, by the run that did so; of one that was taken over the undo of the run that did it counts. */
export async function undoneOf({ view, store }: Pick<RunSnapshot, 'view' | 'store'>): Promise<Undone> {
  const own = { run: view.run, store };
  const other = (run: string): typeof own => ({ run, store: storeBeside(own, run) });
  const undone = new Map<string, string>();
  const half = new Map<string, string>();
  for (const [run, steps] of Map.groupBy(view.steps, ({ reusedFrom }) => reusedFrom)) {
    const by = run === undefined ? own : other(run);
    const [whole, part] = await Promise.all([undoneSteps(by), halfUndone(by)]);
    for (const { id } of steps)
      if (whole.has(id)) undone.set(id, whole.get(id)!);
      else if (part.has(id)) half.set(id, part.get(id)!);
  }
  return { undone, half };
}
