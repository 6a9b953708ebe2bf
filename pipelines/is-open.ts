import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { LockRun } from './lock.ts';

/** Whether the workflow of a run is open at the server. What continues as new goes on; another workflow of the same id is another run. */
export async function isOpen({ workflow }: Pick<Client, 'workflow'>, { workflowId, firstRunId }: LockRun): Promise<boolean> {
  try {
    const { status, raw } = await workflow.getHandle(workflowId).describe();
    const first = raw.workflowExecutionInfo?.firstRunId;
    return (status.name === 'RUNNING' || status.name === 'PAUSED') && (!first || first === firstRunId);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
