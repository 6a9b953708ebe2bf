import { z } from 'zod';
import { remedies } from '../../contracts/remedies.ts';
import { wrongCron } from '../../text/cron.ts';
import { durationPattern, durationRule, milliseconds, unitless } from '../../text/duration.ts';
import { wrongZone } from '../../text/zone.ts';
import { windowUnits } from '../window.ts';

/** What becomes of a window whose run is due while the run of an earlier one goes on. */
export const overlaps = ['skip', 'bufferOne', 'bufferAll', 'cancelOther', 'allowAll'] as const;

/** What other tools call it to let runs wait. */
const queued = {
  remedy: 'write overlap: bufferAll, where each run that is due waits; or bufferOne, where one waits and further ones are left out',
  of: (value: unknown): boolean => /^\s*(en)?queue|^\s*wait/i.test(String(value)),
};

const duration = z.string().regex(durationPattern, durationRule).register(remedies, unitless);

/** Temporal's servers make it so long without a word. */
const leastCatchUpMs = 10_000;

const cron = z.string().superRefine((text, context) => {
  const message = wrongCron(text);
  if (message !== undefined)
    context.addIssue({ code: 'custom', message, params: { remedy: 'write five fields that name a time, as cron: "15 6 * * 1-5"' } });
});

const timezone = z.string().superRefine((text, context) => {
  const wrong = wrongZone(text);
  if (wrong === undefined) return;
  const remedy = `write ${wrong.meant ?? 'a name of the IANA database, such as Europe/Madrid or UTC'}`;
  context.addIssue({ code: 'custom', message: `there is no time zone '${text}'`, params: { remedy } });
});

/** When a pipeline runs by itself, once `portolan schedule apply` has given it to Temporal. */
export const schedule = z
  .strictObject({
    cron: cron
      .optional()
      .describe(
        'Minute, hour, day of the month, month and day of the week, by the clocks of `timezone`. Where both days are named, both must be met.',
      ),
    every: duration.optional().describe('A run each so often, counted from 1970-01-01T00:00Z: `1h` is each full hour, whatever clocks do.'),
    offset: duration.optional().describe('With `every`: so much later. `every: 1h` and `offset: 5m` run five minutes past each hour.'),
    timezone: timezone.default('UTC').describe('Zone of `cron` and of `window`, by its name in the IANA database.'),
    jitter: duration
      .optional()
      .describe('Each run starts up to so much later than due, so that not all start at once. Shorter than what lies between two runs.'),
    overlap: z
      .enum(overlaps)
      .register(remedies, queued)
      .default('skip')
      .describe(
        'What becomes of a run that is due while one goes on: `skip` leaves it out, `bufferOne` keeps one for afterwards, `bufferAll` all, `cancelOther` cancels the one that goes on, `allowAll` starts it beside it.',
      ),
    catchUp: duration
      .default('1h')
      .refine((text) => !durationPattern.test(text) || milliseconds(text) >= leastCatchUpMs, {
        error: 'less than 10s cannot be kept to',
        params: { remedy: 'write catchUp: 10s, or more' },
      })
      .describe('Runs that were due while the Temporal server was away are made up for where they were due less than so long ago.'),
    pauseOnFailure: z
      .boolean()
      .default(false)
      .describe('Pause the schedule when a run of it has failed, before the next one begins. Not with `overlap: allowAll`.'),
    window: z
      .enum(windowUnits)
      .optional()
      .describe(
        'What `${{ run.window.from }}` and `.to` are: the last whole hour, day, week (from Monday) or month that has ended when the run is due.',
      ),
  })
  .refine(({ cron: line, every }) => (line === undefined) !== (every === undefined), {
    error: 'give one of cron, every',
    params: { about: 'fields', remedy: 'write cron: "15 6 * * 1-5", or every: 1h' },
  })
  .refine(({ every, offset }) => offset === undefined || (every !== undefined && within(offset, every)), {
    error: 'offset goes with every, and is shorter',
    path: ['offset'],
    params: { remedy: 'leave it out, or write every: 1h and offset: 5m' },
  })
  .refine(({ overlap, pauseOnFailure }) => !pauseOnFailure || overlap !== 'allowAll', {
    error: 'with overlap: allowAll no failure pauses the schedule: Temporal does not follow runs that others go on beside',
    path: ['pauseOnFailure'],
    params: { remedy: 'leave it out, or take another overlap' },
  })
  .refine(({ every, jitter }) => jitter === undefined || every === undefined || within(jitter, every), {
    error: 'jitter is shorter than every: a run would start when the next one is due',
    path: ['jitter'],
    params: { remedy: 'write less than every, such as every: 1h and jitter: 10m' },
  })
  .describe('When the pipeline runs by itself: `portolan schedule apply FILE` gives it to Temporal.');

/** Is it shorter? */
const within = (offset: string, every: string): boolean =>
  // What is no duration has its own finding.
  [offset, every].some((text) => !durationPattern.test(text)) || milliseconds(offset) < milliseconds(every);

/** The `schedule:` of a file, its defaults put in. */
export type Schedule = z.output<typeof schedule>;
