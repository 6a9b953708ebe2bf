/** A failed step as a history has it: the name of its error, and the status that the service returned. */
type Failure = { type: string; details?: { status?: number } };

const named =
  (...types: readonly string[]) =>
  ({ type }: Failure): boolean =>
    types.includes(type);

const answered =
  (is: (status: number) => boolean) =>
  ({ type, details }: Failure): boolean =>
    type === 'ApiError' && details?.status !== undefined && is(details.status);

/**
 * Failures by what a file may want to do about them, under the names that `onError` has for them. An error may be of several: those above
 * count first.
 */
export const errorClasses = {
  transient: {
    means: 'it may pass: the service cannot be reached, or is broken, busy or slow for longer than the step may wait',
    is: (failure) =>
      named('NetworkError', 'Interrupted', 'RateLimited', 'Throttled', 'Unavailable', 'TimeoutFailure', 'TimedOut')(failure) ||
      answered((status) => status >= 500 || status === 408 || status === 429)(failure),
  },
  notFound: {
    means: 'the service does not have (any more) what the step names: 404, 410',
    is: answered((status) => status === 404 || status === 410),
  },
  forbidden: { means: 'the key may not do this: 401, 403', is: answered((status) => status === 401 || status === 403) },
  refused: {
    means: 'the service refuses the request: any 4xx, and a budget that has ended while agents worked',
    is: (failure) => named('BudgetSpent')(failure) || answered((status) => status >= 400 && status < 500)(failure),
  },
  service: {
    means: 'the service did what was asked and it came to nothing, or does not offer it',
    is: named('ServiceFailed', 'NotOffered', 'ReadingUnknown', 'ContractError'),
  },
  input: {
    means: 'the input is at fault: a file, a field, an expression',
    is: (failure) => named('BadInput', 'NotFetched', 'ZodError', 'RefusedRequest')(failure) || failure.type.startsWith('expression-'),
  },
} as const satisfies Readonly<Record<string, { means: string; is: (failure: Failure) => boolean }>>;

export type ErrorClass = keyof typeof errorClasses;

export const errorClassNames = Object.keys(errorClasses) as readonly ErrorClass[];

/** What is done about a failure: tried again so often first, if at all. `steps`: those of the plan that stand in the step, `on` failures of this class. */
export type Reaction = { does: 'fail' | 'tolerate' | 'steps'; retry?: { times: number; everyMs: number } };

/** A class, or any failure that the file names no other of. */
export type FailureName = ErrorClass | 'else';

/** What is done about failures of a step, by their class. */
export type Reactions = { [of in FailureName]?: Reaction };

/** Failures after which nobody knows what was done: no file tolerates them, or tries again. */
const unknown = new Set(['Inconclusive', 'Undecided']);

const fails = { does: 'fail' } as const satisfies Reaction;

/** Classes of a failure, the one that counts first before the others; undefined where no file has a say. */
export const classesOf = (failure: Failure): ErrorClass[] | undefined =>
  unknown.has(failure.type) ? undefined : errorClassNames.filter((name) => errorClasses[name].is(failure));

/** Of two failures beside each other the first one stands, but for a second one after which nobody knows what was done. */
export const weightier = <F extends Failure>(first: F | undefined, second: F): F =>
  first === undefined || (classesOf(first) !== undefined && classesOf(second) === undefined) ? second : first;

/** What is done about a failure of a step. */
export function reactionTo(reactions: Reactions | undefined, failure: Failure): Reaction & { on?: FailureName } {
  const classes = classesOf(failure);
  if (reactions === undefined || classes === undefined) return fails;
  const on = classes.find((name) => reactions[name] !== undefined) ?? 'else';
  return { ...(reactions[on] ?? fails), on };
}
