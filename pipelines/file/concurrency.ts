import { z } from 'zod';
import { longestKey, whenHeld } from '../lock.ts';

const lockKey = z.string().min(1).max(longestKey);

/** The key that a run holds from before its first step to its end, and what becomes of a run that finds it held. */
export const concurrency = z.strictObject({
  key: lockKey
    .optional()
    .describe(
      'What one run may hold at a time: a text, in which expressions may read `params`; with these put in it has 1 to 200 characters. Default: as without `concurrency`.',
    ),
  when: z
    .enum(whenHeld)
    .optional()
    .describe(
      'What becomes of a run whose key another run holds: `reject` refuses it, `queue` lets it wait, behind those that have asked before, `cancelOlder` cancels the run that holds the key and those that wait, and the run begins when they have ended; one that takes another run back, or is being taken back, is waited for. Default: `reject` where a person’s command starts the run, else `queue`.',
    ),
});

/** `concurrency:` of a file: the key alone, or the key with what becomes of others. */
export const concurrencyField = z.union([lockKey, concurrency]).nullable();
export type FileConcurrency = z.output<typeof concurrencyField>;

/** The two parts of `concurrency:`, whichever way it is written, and where the key stands in the file. */
export const partsOf = (given: FileConcurrency | undefined): z.output<typeof concurrency> & { at: string[] } =>
  typeof given === 'object' && given !== null
    ? { ...given, at: ['concurrency', 'key'] }
    : { ...(typeof given === 'string' ? { key: given } : {}), at: ['concurrency'] };
