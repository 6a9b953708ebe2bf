import { z } from 'zod';
import { remedies } from '../contracts/remedies.ts';
import { durationPattern, durationRule, unitless } from '../text/duration.ts';

/** What people are alerted to. */
export const happenings = ['failed', 'approval', 'recovered'] as const;
export type Happening = (typeof happenings)[number];

export const channelName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'a channel is named by lower-case letters, digits and hyphens, beginning with a letter');

/** `notify:` of a pipeline file, and of portolan.config.mts. */
export const notify = z
  .strictObject({
    on: z
      .array(z.enum(happenings))
      .default([])
      .describe(
        '`failed`: a run has failed; `approval`: a gate waits for a person; `recovered`: a run is done, and the one before it failed.',
      ),
    late: z
      .string()
      .regex(durationPattern, durationRule)
      .register(remedies, unitless)
      .optional()
      .describe('Alerts also where no run of the pipeline has been done for so long, since the last one that was.'),
    to: z.array(channelName).min(1, 'name a channel').describe('Channels of `portolan.config.mts`.'),
  })
  .refine(({ on, late }) => on.length > 0 || late !== undefined, {
    error: 'say what to alert to: `on` or `late`',
    params: { about: 'fields', remedy: 'write on: [failed], or late: 26h' },
  })
  .describe('Who is alerted to what.');

export type NotifyRule = z.output<typeof notify>;

/** The same in a plan. */
export type Notify = { on: Happening[]; to: string[]; lateMs?: number };
