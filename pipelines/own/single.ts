import type { Own, Step } from '../step.ts';
import type { OwnPoll, OwnStep } from './define.ts';
import { attemptMsOf, ownFields, ownForecast } from './own-fields.ts';

const day = 86_400_000;

/** Code that does not end in its time is ended by its worker, which needs a moment to find where it is; the server would say nothing of that. */
const graceMs = 60_000;

/** An own step in the shape of a built-in one: a call of one activity. */
export function toStep(step: Own<OwnStep>): Step {
  const { code: own } = step;
  const fields = ownFields(step);
  return {
    ...fields,
    kind: 'call',
    output: own.output,
    timeouts: { attemptMs: attemptMsOf(own) + graceMs, deadlineMs: day },
    forecast: () => ownForecast(own, fields.summary),
  };
}

/** Longest time until an own poll is done, from its start, in milliseconds. */
export const deadlineMsOf = ({ deadlineSeconds = 86_400 }: Pick<OwnPoll, 'deadlineSeconds'>): number => deadlineSeconds * 1_000;

/** An own poll in the shape of a built-in one: started once, then looked at until it is done. */
export function toPoll(poll: Own<OwnPoll>): Step {
  const { code: own } = poll;
  const fields = ownFields(poll);
  const attemptMs = attemptMsOf(own) + graceMs;
  return {
    ...fields,
    kind: 'poll',
    output: own.output,
    // The last look is made when the time is over, and reports what it saw.
    timeouts: { attemptMs, deadlineMs: day, pollMs: deadlineMsOf(own) + attemptMs },
    forecast: () => ownForecast(own, fields.summary),
  };
}
