import { z } from 'zod';
import { duration } from '../file/schema.ts';
import { define } from '../step.ts';

/** What a file writes as `forEach`. It is in no table of steps: nobody names it under `use`. */
export const loop = define({
  name: 'forEach',
  summary: 'Do steps once for each item of a list.',
  kind: 'loop',
  effect: 'safe',
  operations: [],
  timeouts: { attemptMs: 0, deadlineMs: 0 },
  tolerates: ['failed'],
  input: z.union([
    z.strictObject({ items: z.array(z.unknown()) }),
    z.strictObject({ matrix: z.record(z.string(), z.array(z.unknown())) }),
    z.strictObject({ window: z.strictObject({ from: z.string(), to: z.string(), every: duration }) }),
  ]),
  output: z.object({
    count: z.int().describe('Items.'),
    done: z.int().describe('Turns that are done.'),
    failed: z.int().describe('Turns that failed.'),
    results: z
      .string()
      .describe('Where `outputs` names columns: the rows of the turns that are done as a table, in the order of the items.'),
    rows: z.array(z.record(z.string(), z.unknown())).describe('The same as a list, where it is no larger than 4 MiB.'),
  }),
  forecast: (input) => {
    const { items, matrix, window } = (input ?? {}) as { items?: unknown[]; matrix?: object; window?: { every?: string } };
    const what = matrix
      ? 'every combination'
      : window
        ? `each ${window.every ?? 'part'} of a time`
        : items
          ? `${items.length} items`
          : 'the items';
    return { does: `go over ${what}`, calls: [], items: items?.length ?? null };
  },
  example: { items: ['one', 'two'] },
});
