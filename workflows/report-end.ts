import { getExternalWorkflowHandle, startChild, workflowInfo } from '@temporalio/workflow';
import { endedSignal, watchId, watchWorkflow, type RunEnd, type Watchable } from '../pipelines/notify.ts';
import type { watchV1 } from './watch-v1.ts';

/** Reports how a run ended to the watch of such runs. Without one it is started where there is something to wait for: a recovery, or a run. */
export async function reportEnd(end: RunEnd, of: Watchable): Promise<void> {
  const { notify, state } = end;
  const waits = notify.lateMs !== undefined || (state === 'failed' && notify.on.includes('recovered'));
  const workflowId = watchId(workflowInfo().taskQueue, of);
  // Between the two it may have ended, or been started by another run.
  for (let turn = 0; turn < 3; turn++) {
    const known = await succeeds(getExternalWorkflowHandle(workflowId).signal(endedSignal, end));
    if (known || !waits) return;
    if (await succeeds(startWatch(workflowId, end))) return;
  }
}

const succeeds = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    () => false,
  );

const startWatch = (workflowId: string, end: RunEnd): Promise<unknown> =>
  startChild<typeof watchV1>(watchWorkflow, {
    workflowId,
    args: [{ ends: [end] }],
    parentClosePolicy: 'ABANDON',
    cancellationType: 'ABANDON',
  });
