import { storeBeside } from '../text/store-beside.ts';
import { undoneSteps } from '../store/undo-runs.ts';
import type { RunSnapshot } from './view.ts';

/** Steps of a run that were taken back, by the run that did so; of one that was taken over the undo of the run that did it counts. */
export async function undoneOf({ view, store }: Pick<RunSnapshot, 'view' | 'store'>): Promise<Map<string, string>> {
  const own = { run: view.run, store };
  const found = new Map<string, string>();
  for (const [run, steps] of Map.groupBy(view.steps, ({ reusedFrom }) => reusedFrom)) {
    const undone = await undoneSteps(run === undefined ? own : { run, store: storeBeside(own, run) });
    for (const { id } of steps) if (undone.has(id)) found.set(id, undone.get(id)!);
  }
  return found;
}
