import type { OperationName } from '../../contracts/index.ts';
import type { Facts, PlannedCalls } from '../step.ts';
import type { Declared, Most } from './declared.ts';

/** Operations that an own step lists. */
export const operationsOf = ({ operations = [] }: Declared): readonly OperationName[] =>
  Array.isArray(operations) ? operations : (Object.keys(operations) as OperationName[]);

/** How often an own step calls an operation at most; undefined where it does not say. */
export const mostCalls = ({ operations = [] }: Declared, operation: OperationName): Most | undefined =>
  Array.isArray(operations) ? undefined : (operations as { readonly [Name in OperationName]?: Most })[operation];

type Bound = { max: number } | { max: null; because: string };

/** What the items are worth that a sweep lists by code of its user. */
function ofItems(listed: Facts['listed']): Bound {
  if (listed === undefined) return { max: null, because: 'its items are listed in the run' };
  return typeof listed === 'number' ? { max: listed } : { max: null, because: listed.because };
}

/** How a step that lists its operations alone can say how often it calls them: a number counts what a sweep lists its items by, and no item. */
const remedyOf = (own: Declared): string =>
  'each' in own
    ? "the sweep can say how often: operations: { NAME: 'perItem' }, or a number where it lists its items by it"
    : 'the step can say how often: operations: { NAME: 1 }';

/** The most of it in a run whose attempts do not fail. */
export const boundOf = (own: Declared, most: Most | undefined, listed: Facts['listed']): Bound =>
  most === undefined ? { max: null, because: `its code decides; ${remedyOf(own)}` } : most === 'perItem' ? ofItems(listed) : { max: most };

/** Calls of an own step. */
export const ownCalls = (own: Declared, listed: Facts['listed']): PlannedCalls[] =>
  operationsOf(own).map((operation) => {
    const bound = boundOf(own, mostCalls(own, operation), listed);
    return { operation, min: 0, ...(bound.max === null ? bound : { max: bound.max, because: 'more where an attempt fails' }) };
  });
