import { getExternalWorkflowHandle, startChild, workflowInfo } from '@temporalio/workflow';
import { endedSignal, watchId, watchWorkflow, type RunEnd } from '../pipelines/notify.ts';
import type { watchV1 } from './watch-v1.ts';
import { waits, whenEnded } from './watched.ts';

/** Reports how a run ended to the watch of such runs. Without one it is started where there is something to wait for: a recovery, or a run. */
export async function reportEnd(end: RunEnd & Required<Pick<RunEnd, 'within'>>): Promise<void> {
  const begins = waits(whenEnded(undefined, end));
  const workflowId = watchId(workflowInfo().taskQueue, { pipeline: end.run.pipeline, ...end.within });
  // Between the two it may have ended, or been started by another run.
  for (let turn = 0; turn < 3; turn++) {
    const known = await succeeds(getExternalWorkflowHandle(workflowId).signal(endedSignal, end));
    if (known || !begins) return;
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
