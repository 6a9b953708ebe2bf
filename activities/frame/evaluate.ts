import { evaluateTree } from '../../pipelines/expressions/evaluate.ts';
import type { EvaluateInput } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { keepValue, keptValue } from '../../store/kept-values.ts';
import type { RunStore } from '../../store/run-store.ts';
import { expressed } from './expression-failure.ts';

/**
 * Evaluates the input of a step, or the outputs of the run, where they read values that stand in the run store: a
 * workflow can read no file. An input is kept as a whole, outputs one by one.
 */
export async function evaluate({ tree, scope, each }: EvaluateInput, store: Pick<RunStore, 'path'>): Promise<Json> {
  const steps = await Promise.all(Object.entries(scope.steps).map(async ([id, output]) => [id, await keptValue(output)] as const));
  const value = expressed(() => evaluateTree(tree, { ...scope, steps: Object.fromEntries(steps) }));
  if (!each) return keepValue(store, value);
  const outputs = Object.entries(value as { [name: string]: Json });
  return Object.fromEntries(await Promise.all(outputs.map(async ([name, output]) => [name, await keepValue(store, output)] as const)));
}
