import type { EndStatus } from '../pipelines/plan.ts';
import type { SkipCause } from '../workflows/messages.ts';

const ends: Readonly<Record<EndStatus, string>> = {
  done: 'is done',
  tolerated: 'failed, which is tolerated',
  skipped: 'was skipped',
  failed: 'failed',
  cancelled: 'was cancelled',
};

/** Why a step was skipped, in a few words. */
export const skipWords = (cause: SkipCause | undefined): string => {
  if (cause?.because === 'when') return 'its `when` gave false';
  return cause?.because === 'needs' ? `${cause.step} ${ends[cause.status]}` : 'the run had failed';
};
