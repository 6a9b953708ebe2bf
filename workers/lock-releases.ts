import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { InjectedSinks } from '@temporalio/worker';
import { lockSettings, lockWorkflow, releaseSignal, type LockInput } from '../pipelines/lock.ts';
import type { RunSinks } from '../workflows/messages.ts';

/** Tries to report the end of a run to its lock, and milliseconds between them: afterwards the lock sees it by itself. */
const tries = 5;
const retryMs = 500;

/**
 * Gives keys back of runs that are over. A lock that sleeps is woken by a signal only that may start one; one that is started so, because
 * the lock had ended, holds nothing and ends. `sent` resolves when all is at the server that has been handed out so far.
 */
export function createLockReleases(client: Pick<Client, 'workflow'>): {
  sinks: InjectedSinks<Pick<RunSinks, 'lock'>>;
  sent(): Promise<void>;
} {
  const underWay = new Set<Promise<void>>();
  const release = async (taskQueue: string, key: string, firstRunId: string): Promise<void> => {
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        await client.workflow.signalWithStart(lockWorkflow, {
          ...lockSettings(taskQueue, key),
          args: [{ key } satisfies LockInput],
          signal: releaseSignal,
          signalArgs: [firstRunId],
        });
        return;
      } catch {
        await delay(retryMs * attempt);
      }
    }
  };
  return {
    sinks: {
      lock: {
        release: {
          fn: ({ taskQueue }, key, firstRunId) => {
            const sending = release(taskQueue, key, firstRunId).finally(() => underWay.delete(sending));
            underWay.add(sending);
          },
        },
      },
    },
    sent: async () => void (await Promise.all(underWay)),
  };
}
