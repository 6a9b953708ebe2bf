import { evaluateTree, type Scope } from '../../pipelines/expressions/evaluate.ts';
import { stepsIn } from '../../pipelines/expressions/references.ts';
import { isKept, isLarge } from '../../pipelines/kept.ts';
import type { PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import type { Block } from './block.ts';
import { fail, typeOf } from './ends.ts';
import type { State, World } from './state.ts';

/** The value of a tree; undefined where a worker has to evaluate it: what it reads, or what it gives, stands in the run store. */
export function evaluateHere(tree: Json, scope: Scope): Json | undefined {
  if (stepsIn(tree).some((id) => isKept(scope.steps[id]))) return undefined;
  const value = evaluateTree(tree, scope);
  return isLarge(value) ? undefined : value;
}

/** What goes wrong with a field of a step fails that step. */
export function failingStep(state: State, block: Block, planned: PlanStep, world: World, field: 'when' | 'with', work: () => void): void {
  try {
    work();
  } catch (error) {
    fail(state, world, {
      step: block.path + planned.id,
      type: typeOf(error),
      message: `${field}: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}
