import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { isOpen } from '../pipelines/is-open.ts';
import { lockIdOf, type Holder, type LockMemo } from '../pipelines/lock.ts';

/** The run that holds a key of a run store, by its task queue; undefined where none does that goes on. */
export async function lockHolder(client: Client, taskQueue: string, key: string): Promise<Holder | undefined> {
  const lock = await client.workflow
    .getHandle(lockIdOf(taskQueue, key))
    .describe()
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
  if (lock?.status.name !== 'RUNNING') return undefined;
  const { holder } = lock.memo as LockMemo;
  return holder && (await isOpen(client, holder)) ? holder : undefined;
}
