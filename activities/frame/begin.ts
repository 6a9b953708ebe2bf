import { dirname } from 'node:path';
import { Continued, RunExists, Unavailable } from '../../errors/classes.ts';
import type { LockRequest } from '../../pipelines/lock.ts';
import type { Plan, TurnAbove } from '../../pipelines/plan.ts';
import { claimContinuation } from '../../store/continuation.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { claimFolder, type RunRecord } from '../../store/run-record.ts';
import { rootIsThere } from '../../store/store-id.ts';
import { keepTurn } from '../../store/turns.ts';
import { askForLock } from '../lock/ask.ts';
import { toFailure } from './failure.ts';
import type { Protection } from './protection.ts';

export type BeginInput = { record: RunRecord; plan: Plan; lock?: LockRequest; turn?: TurnAbove };

/**
 * Makes the folder of a run, with its record and its plan, and asks for the key that it holds; one that continues another becomes the
 * one that does. Done again by the same run it changes nothing; another run's folder, and a run that is continued already, is refused. `asked`: the run waits for the lock.
 */
export async function begin({ record, plan, lock, turn }: BeginInput, { locks }: Pick<Protection, 'locks'>): Promise<'held' | 'asked'> {
  try {
    const store = createRunStore(record.store);
    // A disk that is not mounted leaves an empty folder, in which no run is begun.
    if (!rootIsThere(record.store))
      throw new Unavailable('store', `the run store ${dirname(store.path())} is not there: mount it, or put it back where it was`);
    const claimed = async (): Promise<void> => {
      // First, and in one go: a run that is not the one to go on leaves no folder, and what has a claim has a folder.
      const before = record.former?.find(({ only }) => only === undefined);
      const first = before && claimContinuation(before, record.run);
      if (first !== undefined) throw new Continued(before!.run, first);
      if (turn) await keepTurn({ ...turn, store: createRunStore(turn.store) });
      if (!claimFolder(store, record, plan)) throw new RunExists(`there is a run ${record.run} already: two runs never share a folder`);
    };
    // Beside each other: every run waits for both.
    const [asked] = await Promise.all([lock && locks ? askForLock(lock) : ('held' as const), claimed()]);
    return asked;
  } catch (error) {
    throw toFailure(error);
  }
}
