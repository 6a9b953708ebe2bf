import { argument } from '../../text/shell.ts';
import type { ScheduleContext } from './context.ts';

/** The command that applies a file with these options, and does it. */
export const applyCommand = (
  file: string,
  { param = [], env, connection, accept = [], as, 'no-check': noCheck }: ScheduleContext['options'],
): string =>
  [
    `portolan schedule apply ${argument(file)}`,
    ...(env === undefined ? [] : [`--env ${argument(env)}`]),
    ...(connection === undefined ? [] : [`-c ${argument(connection)}`]),
    ...param.map((each) => `-p ${argument(each)}`),
    ...accept.map((step) => `--accept ${argument(step)}`),
    ...(as === undefined ? [] : [`--as ${argument(as)}`]),
    ...(noCheck ? ['--no-check'] : []),
    '--yes',
  ].join(' ');
