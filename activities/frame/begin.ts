import { dirname } from 'node:path';
import { RunExists, Unavailable } from '../../errors/classes.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { claimFolder, planFile, type RunRecord } from '../../store/run-record.ts';
import { rootIsThere } from '../../store/store-id.ts';
import { toFailure } from './failure.ts';

export type BeginInput = { record: RunRecord; plan: Plan };

/** Makes the folder of a run, with its record and its plan. Done again by the same run it changes nothing; another run's folder is refused. */
export async function begin({ record, plan }: BeginInput): Promise<void> {
  try {
    const store = createRunStore(record.store);
    // A disk that is not mounted leaves an empty folder, in which no run is begun.
    if (!rootIsThere(record.store))
      throw new Unavailable('store', `the run store ${dirname(store.path())} is not there: mount it, or put it back where it was`);
    if (!(await claimFolder(store, record))) throw new RunExists(`there is a run ${record.run} already: two runs never share a folder`);
    await store.writeJson(planFile, plan, { synced: false });
  } catch (error) {
    throw toFailure(error);
  }
}
