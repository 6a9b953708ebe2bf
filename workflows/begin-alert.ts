import { startChild } from '@temporalio/workflow';
import { notifyWorkflow, type NotifyInput } from '../pipelines/notify.ts';
import type { notifyV1 } from './notify-v1.ts';

/** Starts the workflow of an occasion; one that is there, or was, is the same. It outlives whoever starts it, and its failure is nobody's. */
export async function beginAlert(input: NotifyInput): Promise<void> {
  await startChild<typeof notifyV1>(notifyWorkflow, {
    workflowId: `portolan/alert/${input.occasion.id}`,
    args: [input],
    parentClosePolicy: 'ABANDON',
    cancellationType: 'ABANDON',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  }).catch(() => undefined);
}
