import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
} from '@temporalio/client';
import type { LockRun } from './lock.ts';

/**
 * What the server says of a run's workflow. `closed`: when it ended, ISO 8601, where the server knows; `byItself`: its own code ended it,
 * nobody terminated it.
 */
export type SeenRun = { open: boolean; closed?: string; byItself?: true };

/** A run by its workflow and the first execution of that. */
export type RunToSee = Pick<LockRun, 'workflowId' | 'firstRunId'>;

const endsByItself: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED'] satisfies WorkflowExecutionStatusName[];

/** Whether a workflow goes on, as the server describes it. */
export const goesOnAtServer = ({ status: { name } }: Pick<WorkflowExecutionDescription, 'status'>): boolean =>
  name === 'RUNNING' || name === 'PAUSED';

/** Looks at the workflow of a run at the server. What continues as new goes on; another workflow of the same id is another run. */
export async function seeRun({ workflow }: Pick<Client, 'workflow'>, { workflowId, firstRunId }: RunToSee): Promise<SeenRun> {
  try {
    const description = await workflow.getHandle(workflowId).describe();
    const { status, closeTime, raw } = description;
    const first = raw.workflowExecutionInfo?.firstRunId;
    if (first && first !== firstRunId) return { open: false };
    if (goesOnAtServer(description)) return { open: true };
    return {
      open: false,
      ...(closeTime ? { closed: closeTime.toISOString() } : {}),
      ...(endsByItself.includes(status.name) ? { byItself: true } : {}),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { open: false };
    throw error;
  }
}
