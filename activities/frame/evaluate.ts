import { ApplicationFailure } from '@temporalio/common';
import { evaluateTree, ExpressionError, type Scope } from '../../pipelines/expressions/evaluate.ts';
import type { EvaluateInput } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import { keepValue, keptValue } from '../../store/kept-values.ts';
import type { RunStore } from '../../store/run-store.ts';

/**
 * Evaluates the input of a step, or the outputs of the run, where they read values that stand in the run store: a
 * workflow can read no file. An input is kept as a whole, outputs one by one.
 */
export async function evaluate({ tree, scope, each }: EvaluateInput, store: Pick<RunStore, 'path'>): Promise<Json> {
  const steps = await Promise.all(Object.entries(scope.steps).map(async ([id, output]) => [id, await keptValue(output)] as const));
  const value = evaluated(tree, { ...scope, steps: Object.fromEntries(steps) });
  if (!each) return keepValue(store, value);
  const outputs = Object.entries(value as { [name: string]: Json });
  return Object.fromEntries(await Promise.all(outputs.map(async ([name, output]) => [name, await keepValue(store, output)] as const)));
}

function evaluated(tree: Json, scope: Scope): Json {
  try {
    return evaluateTree(tree, scope);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw ApplicationFailure.nonRetryable(error.message, error.type);
  }
}
