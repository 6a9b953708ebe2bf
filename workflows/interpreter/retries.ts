import { errorClasses, reactionTo } from '../../pipelines/error-classes.ts';
import type { PlanStep } from '../../pipelines/plan.ts';
import type { RunError } from '../messages.ts';
import { keyOf, type Command, type StepState } from './state.ts';

/** What becomes of a step that fails so: it is tried again, something is done about it, or it ends. */
export function becomes({ onError }: PlanStep, { retries }: StepState, error: RunError): 'again' | 'handled' | 'tolerated' | 'failed' {
  const { retry, does } = reactionTo(onError, error);
  if (retry && (retries?.begun ?? 0) < retry.times) return 'again';
  return ({ fail: 'failed', tolerate: 'tolerated', steps: 'handled' } as const)[does];
}

/** True of a step that has not failed, or that is tried again: what was given up of it is sent again. */
export const isContinued = (planned: PlanStep, step: StepState): boolean => !step.error || becomes(planned, step, step.error) === 'again';

/** Lets a failed step wait for its next try. False where it is not tried again. */
export function retryLater(planned: PlanStep, step: StepState, now: number): boolean {
  if (!step.error || becomes(planned, step, step.error) !== 'again') return false;
  const { times, everyMs } = reactionTo(planned.onError, step.error).retry!;
  step.retries = { begun: step.retries?.begun ?? 0, of: times + 1, at: now + everyMs, error: step.error };
  delete step.error;
  return true;
}

export const retryWanted = (path: string, at: number, now: number): Command[] => [
  { do: 'timer', key: keyOf(path, 'retry'), ms: Math.max(1, at - now) },
];

/** Begins the next try. It goes on where the last one was; a poll whose job came to nothing starts it anew. */
export function beginRetry(step: StepState): void {
  const retries = step.retries!;
  if (!errorClasses.transient.is(retries.error)) delete step.token;
  delete step.child;
  retries.begun += 1;
  delete retries.at;
}

/** Ends the wait of a step that is not tried again: it has failed, and what became of the chunks that it would send again is asked. */
export function giveUpRetry(step: StepState): void {
  const { retries, sweep } = step;
  if (retries?.at !== undefined) {
    step.error ??= retries.error;
    delete retries.at;
  }
  if (!sweep?.redo) return;
  sweep.unsettled = [...(sweep.unsettled ?? []), ...sweep.redo];
  delete sweep.redo;
}
