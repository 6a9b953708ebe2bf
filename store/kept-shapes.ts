import type { Kept } from './json-file.ts';
import { planFile } from './run-record.ts';

/** The plan of a run as it was before its first write; absent until somebody has asked for it. */
export const forecastFile = 'forecast.json';

const hasSteps = (found: { steps?: unknown } | null): boolean => Array.isArray(found?.steps);

/** Files that many read, each by what all of them rely on. */
export const keptShapes: Readonly<Record<string, Kept<any>>> = {
  [planFile]: {
    is: hasSteps,
    without: 'start its file anew: portolan run FILE; what this run has done is undone by hand',
  },
  // Whoever reads it has it made anew.
  [forecastFile]: { is: hasSteps },
};
