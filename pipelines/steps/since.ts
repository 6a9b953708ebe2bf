import { z } from 'zod';
import { markOf, type Mark } from '../../text/mark.ts';
import { durationPattern, durationRule, milliseconds } from '../../text/duration.ts';

/** Which rows of its source a step reads: those that no run before it has read. */
export const since = z
  .union([
    z.strictObject({
      column: z
        .string()
        .min(1)
        .describe('Column of the source, or one made under `columns`, that grows with each change: a time, a date or a whole number.'),
      overlap: z
        .union([z.string().regex(durationPattern, durationRule), z.int().min(0)])
        .optional()
        .describe(
          'Rows may come late: those so far behind the mark are read once more, `1h` of a time, `1000` of a number. What was taken before is left out by its content. @default nothing',
        ),
    }),
    z.strictObject({
      files: z
        .enum(['new', 'changed'])
        .describe(
          'Of a glob, or a pattern of S3 objects: files whose names were not seen before; `changed`: also those whose bytes are others now.',
        ),
    }),
  ])
  .describe(
    'Reads what is new since the last run that ended the step: `{ column, overlap }` or `{ files: new | changed }`. How far it was read is a watermark of the run store, set with the rows that it acknowledges: portolan watermark show.',
  );

type Since = z.output<typeof since>;
export type SinceOf<K extends 'column' | 'files'> = Extract<Since, { [key in K]: unknown }>;

/** Which rows are read by a column, from a mark on; now: a time that is still to come is none to read from next. */
export const columnSince = ({ column, overlap }: SinceOf<'column'>, mark: Mark | null) => ({
  column,
  ...(mark ? { after: mark } : {}),
  ...(overlap === undefined
    ? {}
    : {
        overlap:
          typeof overlap === 'string'
            ? { kind: 'time' as const, by: milliseconds(overlap) * 1_000 }
            : { kind: 'number' as const, by: overlap },
      }),
  latest: markOf('time', BigInt(Date.now()) * 1_000n),
});

/** What a step gives of its reading since a mark. */
export const readSince = z
  .object({
    from: z.string().nullable().describe('The mark when the step began; null: there was none.'),
    to: z.string().nullable().describe('How far the source was read.'),
    of: z.int().describe('Rows, or files, of the whole source.'),
    seen: z.int().describe('Rows of the overlap that were taken before, or files that were: left out.'),
    moved: z.boolean().describe('Another run has set the mark meanwhile, at least so far: this one left it there.'),
  })
  .describe('With `since`: how far the source was read.');
