import { isRepeatable } from '../contracts/endpoint.ts';
import { isOperation, operations } from '../contracts/index.ts';
import type { PlanStep } from './plan.ts';
import type { Step } from './step.ts';

/** Would a repeat of the steps of a row be a second effect? */
export const rowActs = (
  planned: readonly Pick<PlanStep, 'use' | 'with'>[],
  steps: Readonly<Record<string, Pick<Step, 'effect'>>>,
): boolean =>
  planned.some(({ use, with: input }) => {
    const { operation } = input as { operation?: unknown };
    if (typeof operation === 'string' && isOperation(operation)) return !isRepeatable(operations[operation]);
    return !isRepeatable({ effect: steps[use]?.effect ?? 'never' });
  });

/** What is known of a row of an earlier run: its fate, and the calls of its steps, `STEP OPERATION …`; `open`: begun without an end. */
type Known = { fate?: { status: string }; calls: readonly ({ call: string; open: unknown } | { call: string; result: unknown })[] };

/** A call that was begun without an end, and that nothing can be looked up of: a person is asked. */
export function isUnclear(call: Known['calls'][number]): boolean {
  const name = call.call.split(' ')[1] ?? '';
  return 'open' in call && !(isOperation(name) && 'lookup' in operations[name]);
}

/** Nobody knows whether the steps of the row were done. */
export const isUnclearRow = ({ fate, calls }: Known): boolean => fate?.status === 'unknown' || calls.some(isUnclear);
