import type { Scope } from '../../pipelines/expressions/evaluate.ts';
import { stepsIn } from '../../pipelines/expressions/references.ts';
import { inside } from '../../pipelines/plan.ts';
import { loopOf, type Block } from './block.ts';
import type { Json } from '../../text/json.ts';
import type { World, State } from './state.ts';

/** What expressions of a block see: outputs of its steps and of those around it, large ones as references, and the items of its turns. */
export function scopeOf(state: State, { plan, run }: World, block?: Block): Scope {
  const steps: Scope['steps'] = {};
  const items: NonNullable<Scope['items']> = {};
  for (let at = block; at; at = at.of?.block) {
    collect(state, at.path, at.steps, steps);
    if (at.of) items[at.of.loop.each!.as] ??= loopOf(state, at)!.open[at.of.index]!.item;
  }
  if (!block) collect(state, '', inside(plan, undefined), steps);
  return { params: plan.params, steps, items, run: { id: run.id, pipeline: run.pipeline } };
}

function collect(state: State, path: string, of: Block['steps'], into: Scope['steps']): void {
  for (const { id } of of) {
    const output = state.steps[path + id]?.output;
    if (output !== undefined && !Object.hasOwn(into, id)) into[id] = output;
  }
}

/** The part of a scope that a tree reads: what a worker is sent to evaluate it. */
export function scopeFor(tree: Json, scope: Scope): Scope {
  const read = new Set(stepsIn(tree));
  return { ...scope, steps: Object.fromEntries(Object.entries(scope.steps).filter(([id]) => read.has(id))) };
}
