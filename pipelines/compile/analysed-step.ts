import type { Json } from '../../text/json.ts';
import type { FlatStep } from '../file/flat-steps.ts';
import type { Reactions } from '../error-classes.ts';
import type { EndStatus } from '../plan.ts';
import type { StepOrLoop } from '../step.ts';

/**
 * A step of the file with its definition; `with` has parameters put in and defaults added, `when` and what a turn gives parameters.
 * `needs`: steps that stand beside it; `accepts`: ends of needs after which it starts, where they are not the usual ones.
 */
export type AnalysedStep = FlatStep & {
  definition: StepOrLoop;
  with: Json;
  when?: string | boolean;
  needs: string[];
  accepts: { [step: string]: EndStatus[] };
  /** What is done where it fails; absent: it fails. */
  onError?: Reactions;
};
