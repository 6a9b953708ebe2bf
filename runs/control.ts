import { WorkflowNotFoundError, WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { nearest } from '../text/nearest.ts';
import { signal, update, type Decision, type PauseRequest, type RunMemo } from '../workflows/messages.ts';
import { RunProblem } from './errors.ts';
import { describeRun, type RunLocation, type RunPlace } from './find.ts';

/** Acts on the run's latest execution; once more where it continued as new in between. */
const withRun = async <T>(
  place: RunPlace,
  location: RunLocation,
  act: (handle: WorkflowHandle, memo: Partial<RunMemo>) => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    const found = await describeRun(place, location);
    if (found.status.name !== 'RUNNING' && found.status.name !== 'CONTINUED_AS_NEW' && found.status.name !== 'PAUSED') {
      throw new RunProblem(
        `run ${location.run} is over (${found.status.name.toLowerCase().replace('_', ' ')})`,
        `portolan status ${location.run}`,
      );
    }
    try {
      return await act(place.client.workflow.getHandle(found.workflowId, found.runId), found.memo ?? {});
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) || attempt === 2) throw error;
    }
  }
};

/** Starts no further step or chunk until resumed; chunks in flight end. */
export const pauseRun = (place: RunPlace, location: RunLocation, request: PauseRequest): Promise<void> =>
  withRun(place, location, (handle) => handle.signal(signal.pause, request));

export const resumeRun = (place: RunPlace, location: RunLocation, request: PauseRequest): Promise<void> =>
  withRun(place, location, (handle) => handle.signal(signal.resume, request));

/** Asks the run to end. What it has done stays done and recorded. */
export const cancelRun = (place: RunPlace, location: RunLocation): Promise<void> =>
  withRun(place, location, async (handle) => void (await handle.cancel()));

/** Approves or rejects a gate. Fails with `RunProblem` where that gate is not waiting. */
export const decide = (place: RunPlace, location: RunLocation, decision: Decision): Promise<void> =>
  withRun(place, location, async (handle, { asks = [] }) => {
    try {
      await handle.executeUpdate(update.decide, { args: [decision] });
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new RunProblem(error.cause?.message ?? error.message, whichWait(location.run, decision.step, asks), { cause: error });
    }
  });

function whichWait(run: string, step: string, asks: readonly string[]): string {
  if (asks.length === 0) return `no step of it waits for a person: portolan status ${run}`;
  const meant = asks.includes(step) ? undefined : nearest(step, asks);
  return `${meant ? `did you mean '${meant}'? ` : ''}waiting for a person: ${asks.join(', ')}`;
}
