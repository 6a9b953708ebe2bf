import type { Found } from './endpoint.ts';

/** The effect among what was not there before: one is it, none is none, and of several nobody can say which. */
export const onlyOne = <M, O>(made: readonly M[], what: string, answerOf: (made: M) => O): Found<O> => {
  const [first] = made;
  if (first === undefined) return 'absent';
  return made.length === 1 ? { answer: answerOf(first) } : { unknown: `${made.length} such ${what} were made since` };
};
