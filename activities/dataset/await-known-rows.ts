import { untilSeen } from '../frame/until-seen.ts';
import type { StepContext } from '../frame/context.ts';
import { readKnownRows } from './known-rows.ts';

type Known = Map<string, Record<string, unknown>>;

/** The rows under these ids as soon as they are as they should be; reads may lag behind writes, so those of the deadline are the truth. */
export const awaitKnownRows = (
  context: StepContext,
  { dataset, idField }: { dataset: string; idField: string },
  ids: readonly string[],
  holds: (known: Known) => boolean,
): Promise<Known> => untilSeen(context, () => readKnownRows(context, dataset, idField, ids), holds);
