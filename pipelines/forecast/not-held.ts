import { datasetKeys } from '../compile/concurrency.ts';
import { known } from '../file/embedded-expressions.ts';
import type { Plan } from '../plan.ts';
import type { Step } from '../step.ts';

/**
 * Datasets that the run makes or writes and does not hold, because its key is that of another one. Where the file names a key of its own,
 * that is what its author wants.
 */
export function notHeld({ concurrency, steps: planned }: Plan, steps: Readonly<Record<string, Step>>): string[] {
  const keys = planned.flatMap(({ use, with: input, connections }) => {
    const definition = steps[use];
    return definition ? datasetKeys([{ definition, with: known(input) }], connections['maps']) : [];
  });
  return concurrency && keys.includes(concurrency.key) ? [...new Set(keys)].filter((key) => key !== concurrency.key) : [];
}
