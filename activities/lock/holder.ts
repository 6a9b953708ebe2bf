import { getClient } from '@temporalio/activity';
import { isOpen } from '../../pipelines/is-open.ts';
import { lookActivity, watchActivity, type LockRun } from '../../pipelines/lock.ts';
import { notYet } from '../frame/failure.ts';

/** Milliseconds between two looks at a holder while somebody waits. */
const lookMs = 1_000;

/** How locks see their holders, by activity type. */
export const holderActivities = {
  [lookActivity]: (run: LockRun): Promise<boolean> => isOpen(getClient(), run),
  [watchActivity]: async (run: LockRun): Promise<void> => {
    if (await isOpen(getClient(), run)) throw notYet(lookMs, 'the run that holds the key goes on');
  },
};
