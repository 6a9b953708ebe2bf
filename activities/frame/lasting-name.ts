import type { StepContext } from './context.ts';

/**
 * The name by which what a run store knows of a step lasts from run to run: of a turn by its item, whatever place that has, and of a run that is
 * itself a step behind the name of that, such as `nightly.each[north].load.rows`.
 */
export const lastingName = ({ run, byItem }: Pick<StepContext, 'run' | 'byItem'>): string =>
  run.as === undefined ? byItem : `${run.as}.${byItem}`;
