import { activityInfo, getClient } from '@temporalio/activity';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { Unavailable } from '../../errors/classes.ts';
import { askSignal, lockSettings, lockWorkflow, type LockInput, type LockMemo, type LockRequest } from '../../pipelines/lock.ts';

/**
 * A lock that nobody asks needs no worker: its first task waits so long. Signals that may start a workflow make it come at once, plain
 * ones do not.
 */
const idle = '365 days';

/**
 * Asks for a key, for a run. `held`: it is the run's, because the server lets one lock of a key be started; `asked`: another run has it,
 * or had it, and the lock answers by a signal. Asked again by the same run it is the same.
 */
export const askForLock = (request: LockRequest): Promise<'held' | 'asked'> =>
  ask(request).catch((error: unknown) => {
    throw new Unavailable('temporal', `the lock of ${request.key} could not be asked: ${(error as Error).message}`, { cause: error });
  });

async function ask({ key, asker, at }: LockRequest): Promise<'held' | 'asked'> {
  const { workflow } = getClient();
  const { taskQueue } = activityInfo();
  const { when: _, ...run } = asker;
  const holder = { ...run, since: at };
  const options = {
    ...lockSettings(taskQueue, key),
    args: [{ key, holder } satisfies LockInput],
    memo: { key, holder } satisfies LockMemo,
    staticSummary: `lock of ${key}`,
  } as const;
  try {
    await workflow.start(lockWorkflow, { ...options, startDelay: idle, workflowIdConflictPolicy: 'FAIL' });
    return 'held';
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  await workflow.signalWithStart(lockWorkflow, { ...options, signal: askSignal, signalArgs: [asker] });
  return 'asked';
}
