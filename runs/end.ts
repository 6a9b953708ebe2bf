import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowFailedError } from '@temporalio/client';
import { describeRun, type RunLocation, type RunPlace } from './find.ts';
import { isPassing, retryMs } from './watch.ts';

/**
 * Resolves when a run is over, well or not. The server says it by itself: hundreds of runs can be waited for, where asking their
 * workers every second how far they are would leave these no time for the runs. Fails with an `AbortError` where the wait is given up.
 */
export async function endOf(place: RunPlace, location: RunLocation, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
  const { client } = place;
  for (;;) {
    try {
      const runId = location.firstRunId ?? (await describeRun(place, location)).runId;
      const result = (): Promise<unknown> => client.workflow.getHandle(location.workflowId, runId).result();
      await (signal ? client.withAbortSignal(heardLate(signal), result) : result());
      return;
    } catch (error) {
      if (error instanceof WorkflowFailedError) return;
      if (signal?.aborted) throw new DOMException('the wait for the run was given up', 'AbortError');
      if (!isPassing(error)) throw error;
      await delay(retryMs, undefined, signal ? { signal } : {});
    }
  }
}

/**
 * The same signal for calls that begin when it is aborted already. The library hears it only while a call is under way, and waits in many:
 * after one that was aborted between two of them it would wait for ever.
 */
function heardLate(signal: AbortSignal): AbortSignal {
  const heard = AbortSignal.any([signal]);
  const addEventListener = heard.addEventListener.bind(heard);
  return Object.assign(heard, {
    addEventListener: (type: 'abort', listener: () => void) => (heard.aborted ? listener() : addEventListener(type, listener)),
  });
}
