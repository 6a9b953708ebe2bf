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
