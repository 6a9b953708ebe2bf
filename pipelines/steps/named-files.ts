import type { Facts, StepForecast } from '../step.ts';

/** What `plan` shows of the files that the table of a step names: those that are not there, or why its rows cannot be read. */
export function namedFilesForecast(named: Facts['named']): Pick<StepForecast, 'absent' | 'problems'> {
  if (!named || 'because' in named) return {};
  if ('problems' in named) return named;
  const { files, missing, first } = named;
  return missing === 0 ? {} : { absent: [{ files, missing, first }] };
}
