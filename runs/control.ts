import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type WorkflowHandle,
} from '@temporalio/client';
import { nearest } from '../text/nearest.ts';
import { signal, update, type Decision, type PauseRequest, type RunMemo } from '../workflows/messages.ts';
import { RunProblem } from './errors.ts';
import { describeRun, type RunLocation, type RunPlace } from './find.ts';

/**
 * Acts on a run that is under way, in whichever execution it is by then: the server takes a cancellation of one that has continued as new
 * meanwhile, and nothing comes of it.
 */
const withRun = async <T>(
  place: RunPlace,
  location: RunLocation,
  act: (handle: WorkflowHandle, memo: Partial<RunMemo>) => Promise<T>,
): Promise<T> => {
  const { status, memo } = await describeRun(place, location);
  if (status.name !== 'RUNNING' && status.name !== 'CONTINUED_AS_NEW' && status.name !== 'PAUSED') throw over(location, status.name);
  try {
    return await act(place.client.workflow.getHandle(location.workflowId), memo ?? {});
  } catch (error) {
    throw error instanceof WorkflowNotFoundError ? over(location, 'ended') : error;
  }
};

const over = ({ run }: RunLocation, status: string): RunProblem =>
  new RunProblem(`run ${run} is over (${status.toLowerCase().replace('_', ' ')})`, `portolan status ${run}`);

/** Starts no further step or chunk until resumed; chunks in flight end. */
export const pauseRun = (place: RunPlace, location: RunLocation, request: PauseRequest): Promise<void> =>
  withRun(place, location, (handle) => handle.signal(signal.pause, request));

export const resumeRun = (place: RunPlace, location: RunLocation, request: PauseRequest): Promise<void> =>
  withRun(place, location, (handle) => handle.signal(signal.resume, request));

/** Asks the run to end. What it has done stays done and recorded. */
export const cancelRun = (place: RunPlace, location: RunLocation): Promise<void> =>
  withRun(place, location, async (handle) => void (await handle.cancel()));

/** What a killed worker was given is given to another one after 10 s, also twice in a row; and that one may have to read a long history first. */
const heardWithinMs = 60_000;

/** Approves or rejects a gate. Fails with `RunProblem` where that gate is not waiting, and where no worker hears of it in time. */
export const decide = (
  place: RunPlace,
  location: RunLocation,
  decision: Decision,
  { signal = new AbortController().signal, withinMs = heardWithinMs }: { signal?: AbortSignal; withinMs?: number } = {},
): Promise<void> =>
  withRun(place, location, async (handle, { asks = [] }) => {
    const { client } = place;
    const updated = (): Promise<void> => handle.executeUpdate(update.decide, { args: [decision] });
    try {
      await client.withAbortSignal(signal, () => client.withDeadline(Date.now() + withinMs, updated));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
        throw new RunProblem(
          `no worker has heard of it in ${withinMs / 1_000} s, and the server may keep it for the next one`,
          `start one (portolan worker, or portolan dev), then see whether it waits still: portolan status ${location.run}`,
          { cause: error },
        );
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new RunProblem(error.cause?.message ?? error.message, whichWait(location.run, decision.step, asks), { cause: error });
    }
  });

function whichWait(run: string, step: string, asks: readonly string[]): string {
  if (asks.length === 0) return `no step of it waits for a person: portolan status ${run}`;
  const meant = asks.includes(step) ? undefined : nearest(step, asks);
  return `${meant ? `did you mean '${meant}'? ` : ''}waiting for a person: ${asks.join(', ')}`;
}
