import { hostname } from 'node:os';
import { identify } from '../../config/identity.ts';
import type { Temporal } from '../project/temporal.ts';

/** A poll that finds nothing ends after 60 s and is followed by the next. */
const pollMs = 75_000;

/**
 * How many workers poll a task queue now. The server lists one for five minutes after it has ended: of this host's, which a
 * queue has by its run store, the process is looked at; another host's counts while its last poll may still be open.
 */
export const workersOn = async ({ client, namespace }: Temporal, taskQueue: string, now: number): Promise<number> => {
  const { pollers } = await client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } });
  return (pollers ?? []).filter(({ identity, lastAccessTime }) => {
    // The SDK names a worker PID@HOST.
    const [, pid, host] = /^(\d+)@(.+)$/.exec(identity ?? '') ?? [];
    return pid !== undefined && host === hostname()
      ? identify(Number(pid)) !== undefined
      : now - Number(lastAccessTime?.seconds ?? 0) * 1_000 <= pollMs;
  }).length;
};
