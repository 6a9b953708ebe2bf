import { z } from 'zod';
import { schedule } from '../../pipelines/file/schedule.ts';
import { runLine, runTime } from './run.ts';

const at = z.string().describe('ISO 8601.');
const name = z.string().describe('Name of the schedule: the pipeline, and behind an @ the environment.');

const changes = z
  .array(z.strictObject({ at: z.string(), from: z.json().optional(), to: z.json().optional() }))
  .describe('What differs, by place: `steps.rows.with.source`.');

const preview = {
  next: z.array(runTime).describe('The next runs as they are due, and their windows.'),
  clocks: z
    .array(
      z.strictObject({
        at: at.describe('When the clocks of the zone change.'),
        byMinutes: z.number().describe('How far they are put forward.'),
        skipped: z.array(z.string()).describe('Times of the clock, as if they were UTC, at which a run would be due and there is none.'),
        twice: z
          .array(z.strictObject({ clock: z.string(), runs: z.array(at) }))
          .describe('Times of the clock that are there twice, and the runs that are due then.'),
        lost: z
          .array(z.string())
          .describe('Times of the clock that are there once, at which a run would be due, and of which the server makes none.'),
        unnamed: z.array(at).describe('Runs that the server makes of none of the times that the line names.'),
        unread: z
          .array(runTime)
          .describe(
            'Windows that no run reads, for the time that reads them is left out: `scheduledAt` is what `portolan run --at` takes.',
          ),
      }),
    )
    .describe('What the next changes of the clocks do.'),
};

/** `portolan schedule list` and `show`. */
export const scheduleLine = z.strictObject({
  name,
  pipeline: z.string(),
  planHash: z.string(),
  schedule,
  environment: z.string().optional(),
  connections: z.record(z.string(), z.string()),
  file: z.string().optional(),
  paused: z.boolean(),
  note: z.string(),
  appliedAt: at,
  appliedBy: z.string(),
  next: z.array(at).describe('When it starts runs next, with its jitter.'),
  running: z.int().describe('Runs that go on.'),
  started: z.int(),
  missed: z.int().describe('Times missed by more than `catchUp`.'),
  overlapped: z.int().describe('Times left out because a run went on.'),
  file_is: z.enum(['same', 'edited', 'unreadable']).describe('The file against what is scheduled.'),
  changes: changes.optional(),
  why: z.string().optional().describe('Why the file cannot be compiled.'),
  preview: z.strictObject(preview).optional(),
  runs: z.array(runLine).optional().describe('Its runs, newest first.'),
});

/** `portolan schedule apply`. */
export const appliedSchedule = z.strictObject({
  name,
  file: z.string(),
  is: z.enum(['new', 'changed', 'same']),
  applied: z.boolean().describe('False where it was shown alone: without --yes.'),
  planHash: z.string(),
  changes,
  ...preview,
});

/** `portolan schedule pause`, `resume`, `trigger`, `backfill` and `delete`. */
export const steeredSchedule = z.strictObject({
  name,
  did: z.enum(['pause', 'resume', 'trigger', 'backfill', 'delete']),
  done: z.boolean().describe('False where it was shown alone: without --yes.'),
  run: z.string().optional().describe('trigger: the run that was started; absent where it starts when the one that goes on has ended.'),
  due: z.array(runTime).optional().describe('backfill: the times that are made up for.'),
  runs: z.array(runLine).optional().describe('backfill with --wait: the runs that were started, newest first, as they were when it ended.'),
  unread: z
    .array(runTime)
    .optional()
    .describe('backfill: windows between these that no run reads, for clocks have changed: `portolan run --at` reads them.'),
});
