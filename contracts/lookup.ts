import type { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

/** Sends another operation of the same API while an effect is looked up: one attempt, errors as they come. */
export type Ask = <E extends Endpoint>(endpoint: E, input: z.input<E['input']>) => Promise<z.output<E['output']>>;

/** What a look-up found: the answer that the call would have given, no effect, or that it cannot be told, and why. */
export type Found<O> = { readonly answer: O } | 'absent' | { readonly unknown: string };

/** How the effect of a call whose answer was lost is found at the service. */
export type Lookup<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  /**
   * Ids of what could be mistaken for the effect, asked before anything is sent and kept with the intent: what was there
   * before the call is not its effect.
   */
  before?(input: z.output<I>, ask: Ask): Promise<readonly string[]>;
  find(input: z.output<I>, before: readonly string[], ask: Ask): Promise<Found<z.output<O>>>;
};

/** The effect among what was not there before: one is it, none is none, and of several nobody can say which. */
export const onlyOne = <M, O>(made: readonly M[], what: string, answerOf: (made: M) => O): Found<O> => {
  const [first] = made;
  if (first === undefined) return 'absent';
  return made.length === 1 ? { answer: answerOf(first) } : { unknown: `${made.length} such ${what} were made since` };
};
