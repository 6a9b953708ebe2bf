import type { OperationName } from '../../contracts/index.ts';
import { BadInput } from '../../errors/classes.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import { mostCalls, operationsOf } from '../../pipelines/own/how-often.ts';

/** What an attempt is of: of a step, or of listing the items of a sweep, or of one item. */
export type AttemptOf = 'whole' | 'item';

/**
 * Counts the calls of one attempt. Fails for an operation that the step does not list, and for a call beyond those that it says: no plan
 * has shown it, and no gate has approved what it does.
 */
export function createAllowance(own: Pick<OwnStep, 'name' | 'operations'>, of: AttemptOf): (operation: OperationName) => void {
  const called = new Map<OperationName, number>();
  return (operation) => {
    if (!operationsOf(own).includes(operation))
      throw new BadInput('bad_input', `${own.name} calls ${operation}, which is none of its \`operations\`: list it in the step`);
    const most = mostCalls(own, operation);
    if (most === undefined) return;
    const allowed = most === 'perItem' ? (of === 'item' ? 1 : 0) : of === 'item' ? 0 : most;
    const count = (called.get(operation) ?? 0) + 1;
    called.set(operation, count);
    if (count > allowed)
      throw new BadInput(
        'bad_input',
        `${own.name} calls ${operation} more often than its \`operations\` say (${most === 'perItem' ? 'once for each item' : `${most} in all`}): say there how often, so that plans are right`,
      );
  };
}
