import { overlaps } from '../../pipelines/file/schedule.ts';
import type { VerbContext, VerbOption } from '../frame/verb.ts';
import { fileOptions } from '../start/file-options.ts';

/** Options of `portolan schedule`. */
export const scheduleOptions = {
  ...fileOptions,
  connection: { type: 'string', short: 'c', value: 'NAME', description: 'apply: connection of portolan.config.mts, or local.' },
  accept: {
    type: 'string',
    value: 'STEP',
    multiple: true,
    description: 'apply: approve what the step may do that cannot be taken back, in every run, where no gate does.',
  },
  'no-check': {
    type: 'boolean',
    description: 'apply: do not ask the service first, nor whether the files are on this host, and fetch no source here.',
  },
  from: { type: 'string', value: 'TIME', description: 'backfill: the first time, by the clocks of the schedule’s zone.' },
  to: { type: 'string', value: 'TIME', description: 'backfill: the end; what is due then is not made up for.' },
  overlap: {
    type: 'string',
    value: 'HOW',
    description: `backfill: what becomes of runs that are due together: ${overlaps.join(', ')} (default bufferAll: one after the other).`,
  },
  note: { type: 'string', value: 'TEXT', description: 'pause, resume: why; kept and shown.' },
  as: { type: 'string', value: 'NAME', description: 'apply, pause, resume: who does it (default PORTOLAN_USER, else user@host).' },
  yes: { type: 'boolean', description: 'apply, backfill, delete: do what is shown.' },
  wait: { type: 'boolean', description: 'trigger, backfill: until the runs are over; the exit code is that of the runs.' },
  json: { type: 'boolean', description: 'One JSON object a line.' },
} as const satisfies Record<string, VerbOption>;

export type ScheduleContext = VerbContext<typeof scheduleOptions>;
