import { join } from 'node:path';
import { watchId, type Watchable } from '../pipelines/notify.ts';
import type { Plan } from '../pipelines/plan.ts';
import { readKeptView } from '../store/kept-view.ts';
import { planFile } from '../store/run-record.ts';
import { createRunStore } from '../store/create-run-store.ts';
import type { RunView } from '../workflows/messages.ts';
import { rootOf } from './find.ts';

/** A run that is over; `facts`: of its record, where it has one; `well`: the cluster lists it as done. */
type Over = { run: string; facts: Watchable | undefined; endedAt: number; well: boolean };

/**
 * The last run that was done of those that are watched together and alert to being late: the alert, which comes when none has been done since, is
 * recorded in its folder.
 */
export async function awaitedRuns(storeRoot: string, over: readonly Over[]): Promise<Set<string>> {
  const awaited = new Set<string>();
  for (const [watch, runs] of Map.groupBy(over, ({ facts }) => facts && watchId('', facts))) {
    if (watch === undefined) continue;
    for (const { run, well } of runs.toSorted((a, b) => b.endedAt - a.endedAt)) {
      const store = createRunStore(join(rootOf(storeRoot), run));
      if (!well && (await readKeptView<RunView>(store).catch(() => undefined))?.view.state !== 'done') continue;
      const plan = await store.readJson<Plan>(planFile).catch(() => undefined);
      // It counts as no run of the pipeline.
      if (plan?.undoes) continue;
      if (plan?.notify?.lateMs !== undefined) awaited.add(run);
      break;
    }
  }
  return awaited;
}
