import type { Endpoint } from '../../contracts/endpoint.ts';
import { operations } from '../../contracts/index.ts';
import type { LimitClass } from '../../contracts/limits.ts';
import { fileOperation } from '../../contracts/maps/documents.ts';
import { partOperation } from '../../contracts/maps/uploads.ts';
import type { PlannedCalls, StepForecast } from '../step.ts';

type Planned = PlannedCalls['operation'];

/** The PUT of a part is no operation: its URL is opaque and has no key. */
export const isSafe = (operation: Planned): boolean => !isSigned(operation) && operations[operation].effect === 'safe';

/** What goes to a signed URL is no operation of the text. */
const isSigned = (operation: Planned): operation is typeof partOperation | typeof fileOperation =>
  operation === partOperation || operation === fileOperation;

/** Limit class of a planned call. */
export const limitClassOf = (operation: Planned): LimitClass => (isSigned(operation) ? 'maps/part' : operations[operation].limit);

/** What the operations are charged by, as their contracts say; nothing where the cost is known to be none. */
export function chargedBy(calls: readonly PlannedCalls[], cost: StepForecast['cost']): string[] {
  if (cost?.max === 0) return [];
  const by = calls.flatMap(({ operation, max }) => {
    if (max === 0 || isSigned(operation)) return [];
    const { cost: unit }: Endpoint = operations[operation];
    return unit ?? [];
  });
  return [...new Set(by)];
}
