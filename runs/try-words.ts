import type { StepView } from '../workflows/messages.ts';
import { duration, ordinal } from '../text/units.ts';

type Retries = NonNullable<StepView['retries']>;

/** `2nd try of 4`, and in how long it begins where it is waited for. */
export const tryWords = ({ now: tries, of, at }: Retries, now: number): string =>
  `${ordinal(tries)} try of ${of}${at === undefined ? '' : ` in ${duration(Math.max(0, Date.parse(at) - now))}`}`;

/** Which try a step is in by its `onError`, and why the one before failed; undefined where it is the first. */
export const triesLine = ({ id, retries }: StepView, now: number): string | undefined =>
  retries && `${id}: ${tryWords(retries, now)}; the ${ordinal(retries.now - 1)} failed: ${retries.error.message} (${retries.error.type})`;
