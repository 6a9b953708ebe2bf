import { getClient } from '@temporalio/activity';
import { lookActivity, watchActivity, type LockRun } from '../../pipelines/lock.ts';
import { seeRun, type SeenRun } from '../../pipelines/see-run.ts';
import { notYet } from '../frame/failure.ts';

/** Milliseconds between two looks at a holder while somebody waits. */
const lookMs = 1_000;

/** How locks see their holders, by activity type. */
export const holderActivities = {
  [lookActivity]: (run: LockRun): Promise<SeenRun> => seeRun(getClient(), run),
  [watchActivity]: async (run: LockRun): Promise<SeenRun> => {
    const seen = await seeRun(getClient(), run);
    if (seen.open) throw notYet(lookMs, 'the run that holds the key goes on');
    return seen;
  },
};
