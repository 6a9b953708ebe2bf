import type { VerbOption } from '../frame/verb.ts';

/** Options of every verb that reads a pipeline file. */
export const fileOptions = {
  param: {
    type: 'string',
    short: 'p',
    value: 'K=V',
    multiple: true,
    description: 'A parameter of the file; a path from the current folder.',
  },
  env: { type: 'string', value: 'NAME', description: 'Environment of the file: its connection and parameters.' },
} as const satisfies Record<string, VerbOption>;

/** Of a verb that starts runs by hand. */
export const timeOption = {
  at: {
    type: 'string',
    value: 'TIME',
    description: 'The time that the run is for, by the clocks of the schedule’s zone: what run.scheduledAt and run.window are.',
  },
} as const satisfies Record<string, VerbOption>;
