import type { z } from 'zod';
import type { Ask, Lookup } from '../../contracts/endpoint.ts';
import type { StepContext } from '../frame/context.ts';
import type { LookupOnce } from './send-once.ts';

/** How look-ups of contracts send what they ask. */
export const askOf =
  ({ call, signal }: Pick<StepContext, 'call' | 'signal'>): Ask =>
  (asked, fields) =>
    call(asked, fields, { signal });

/** The look-up of an operation's contract, for one call of it. */
export function lookupOf<I extends z.ZodType, O extends z.ZodType>(
  { lookup }: { readonly lookup: Lookup<I, O> },
  input: z.output<I>,
  context: Pick<StepContext, 'call' | 'signal'>,
): Required<LookupOnce<z.output<O>>> {
  const ask = askOf(context);
  return {
    before: async () => (await lookup.before?.(input, ask)) ?? [],
    find: (before) => lookup.find(input, before, ask),
    made: async (before) => (await lookup.made?.(input, before, ask)) ?? [],
  };
}
