import type { Scope } from '../../pipelines/expressions/evaluate.ts';
import { stepsIn } from '../../pipelines/expressions/references.ts';
import { inside } from '../../pipelines/plan.ts';
import { openTurn, type Block } from './block.ts';
import type { Json } from '../../text/json.ts';
import type { World, State, StepState } from './state.ts';

/**
 * What expressions of a block see: outputs of its steps and of those around it, large ones as references, the items of its turns, and the
 * failure about which it is done.
 */
export function scopeOf(state: State, { plan, run }: World, block?: Block): Scope {
  const steps: Scope['steps'] = {};
  const items: NonNullable<Scope['items']> = {};
  for (let at = block; at; at = at.of?.block) {
    collect(state, at.path, at.steps, steps);
    const turn = openTurn(state, at);
    if (turn) put(items, at.of!.step.each!.as, turn.item);
    else if (at.of) put(steps, at.of.step.id, { error: errorOf(state.steps[at.of.block.path + at.of.step.id]!) });
  }
  if (!block) collect(state, '', inside(plan, undefined), steps);
  // What takes a run back reads what that run gave, and means it by `run`.
  const { run: of = run.id, results = {} } = plan.undoes ?? {};
  return { params: plan.params, steps: { ...results, ...steps }, items, run: { id: of, pipeline: run.pipeline, ...run.time } };
}

const errorOf = ({ error }: StepState): Json => ({ type: error!.type, message: error!.message });

function collect(state: State, path: string, of: Block['steps'], into: Scope['steps']): void {
  for (const { id } of of) {
    const output = state.steps[path + id]?.output;
    if (output !== undefined) put(into, id, output);
  }
}

/** What stands further inside has its name already, be it null. */
function put(into: { [name: string]: Json }, name: string, value: Json): void {
  if (!Object.hasOwn(into, name)) into[name] = value;
}

/** The part of a scope that a tree reads: what a worker is sent to evaluate it. */
export function scopeFor(tree: Json, scope: Scope): Scope {
  const read = new Set(stepsIn(tree));
  return { ...scope, steps: Object.fromEntries(Object.entries(scope.steps).filter(([id]) => read.has(id))) };
}
