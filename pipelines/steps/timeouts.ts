import type { StepTimeouts } from '../step.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** One request or a few. */
export const short: StepTimeouts = { attemptMs: 5 * minute, deadlineMs: day };
/** A chunk of a sweep, or the reading of a large source. */
export const long: StepTimeouts = { attemptMs: hour, deadlineMs: 3 * day };
