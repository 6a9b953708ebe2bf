import type { Scope } from '../../pipelines/expressions/evaluate.ts';
import { stepsIn } from '../../pipelines/expressions/references.ts';
import type { Json } from '../../text/json.ts';
import type { World, State } from './state.ts';

/** What expressions see; large outputs as references. */
export function scopeOf(state: State, { plan, run }: World): Scope {
  const outputs = Object.entries(state.steps).flatMap(([id, step]) => (step.output === undefined ? [] : [[id, step.output] as const]));
  return { params: plan.params, steps: Object.fromEntries(outputs), run: { id: run.id, pipeline: run.pipeline } };
}

/** The part of a scope that a tree reads: what a worker is sent to evaluate it. */
export function scopeFor(tree: Json, scope: Scope): Scope {
  const read = new Set(stepsIn(tree));
  return { ...scope, steps: Object.fromEntries(Object.entries(scope.steps).filter(([id]) => read.has(id))) };
}
