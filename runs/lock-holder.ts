import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { lockIdOf, type Holder, type LockMemo } from '../pipelines/lock.ts';
import { seeRun } from '../pipelines/see-run.ts';

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
  return holder && (await seeRun(client, holder)).open ? holder : undefined;
}
