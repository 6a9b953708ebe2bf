import { z } from 'zod';
import { duration } from '../file/schema.ts';
import { milliseconds } from '../../text/duration.ts';
import { utcTime } from '../../text/utc-time.ts';
import { mostTurns, timeRule } from '../loop-over.ts';
import { define } from '../step.ts';

const instant = z.string().superRefine((text, context) => {
  if (utcTime(text) === undefined)
    context.addIssue({
      code: 'custom',
      message: `'${text}' is no time`,
      params: { remedy: `write ${timeRule}, of a day that the month has` },
    });
});

/** Parts of a window, less than none where it ends before it begins; undefined while an end or the length is not known. */
export function partsIn({ from, to, every }: { from: string; to: string; every: string }): number | undefined {
  const [start, end] = [utcTime(from), utcTime(to)];
  if (start === undefined || end === undefined || !duration.safeParse(every).success) return undefined;
  return Number(end - start) / 1_000 / milliseconds(every);
}

/** What is wrong with a window is said before the run where both ends are known then. */
export const window = z
  .strictObject({ from: instant, to: instant, every: duration })
  .refine((value) => (partsIn(value) ?? 0) <= mostTurns, {
    path: ['every'],
    message: `the window has more than ${mostTurns.toLocaleString('en-US')} parts, the most that a loop goes over`,
    params: { remedy: 'take longer parts, or split the window' },
  });

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
    z.strictObject({ window }),
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
