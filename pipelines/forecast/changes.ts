import { operations } from '../../contracts/index.ts';
import { typed } from '../own/operation-step.ts';
import type { PlanStep } from '../plan.ts';
import type { Step } from '../step.ts';

/** A step may change something, unless its definition says that it does not, or the operation that it calls. */
export function changes({ kind, use, with: input, each }: PlanStep, steps: Readonly<Record<string, Step>>): boolean {
  if (kind === 'gate' || each) return false;
  if (kind === 'pipeline' || !Object.hasOwn(steps, use)) return true;
  const { effect, own, operations: called } = typed(steps[use]!, input);
  const reads = !own && called.length > 0 && called.every((name) => operations[name].effect === 'safe');
  return effect !== 'safe' && !reads;
}
