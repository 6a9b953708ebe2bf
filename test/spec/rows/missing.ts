import { operations } from '../../../contracts/index.ts';
import type { OperationName } from '../../../contracts/index.ts';
import type { Row } from './row.ts';

/** What became of a call: the status of the answer. */
export type Sent = { operation: OperationName; status: number };

/** What the calls of a row have not shown of its operation: nothing, where the row is what it says. */
export function missing(operation: OperationName, { readBack, refusal }: Omit<Row, 'run'>, sent: readonly Sent[]): string[] {
  const { status: success } = operations[operation];
  const first = sent.findIndex((each) => each.operation === operation && each.status === success);
  const isRefused = sent.some((each) => each.operation === operation && each.status >= 400 && each.status < 500);
  const isReadBack = sent.slice(first + 1).some((each) => each.operation === readBack && each.status < 300);
  return [
    ...(first === -1 ? [`${operation} never succeeded with ${success}`] : []),
    ...(refusal || isRefused ? [] : [`${operation} was never refused`]),
    ...(refusal && isRefused ? [`${operation} was refused, and the row says that it cannot be`] : []),
    ...(readBack === operation ? [`${operation} is read back by itself`] : []),
    ...(typeof readBack === 'string' && !isReadBack ? [`${readBack} has read nothing back after ${operation}`] : []),
  ];
}
