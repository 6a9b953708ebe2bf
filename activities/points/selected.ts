import type { Selection } from '../../contracts/maps/selection.ts';
import type { StepContext } from '../frame/context.ts';

/** A long list takes its time to arrive and to be written. */
const answerMs = 10 * 60_000;

/** Hands the ids of a selection over as they arrive. */
export async function selectPoints(
  context: StepContext,
  map: string,
  selection: Selection,
  take: (ids: string[]) => Promise<void>,
): Promise<void> {
  await context.maps.query.select(
    { projection_id: map, selection },
    { signal: context.signal, timeoutMs: answerMs, onItems: (items) => take(items.map(pointId)) },
  );
}

/** The text shows ids as strings; the public docs also show objects of one field. */
const pointId = (item: unknown): string => String(typeof item === 'object' && item !== null ? Object.values(item)[0] : item);

/** How many points a selection has. */
export async function countPoints(context: StepContext, map: string, selection: Selection): Promise<number> {
  let count = 0;
  await selectPoints(context, map, selection, async (ids) => void (count += ids.length));
  return count;
}
