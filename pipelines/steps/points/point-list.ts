import { z } from 'zod';

/** A list of ids by reference: it stays in the run store and never enters a history. */
export const points = z.object({
  uri: z.string().describe('Where the ids are, in the run store.'),
  count: z.int().min(0),
});

export type Points = z.output<typeof points>;
