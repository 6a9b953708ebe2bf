import { inBatches } from '../../client/in-batches.ts';
import { toSelection, type Where } from '../../pipelines/steps/points/where.ts';
import type { StepContext } from '../frame/context.ts';
import { checkWhole } from './check-whole.ts';
import type { MapFacts } from './map-facts.ts';
import { countPoints, selectPoints } from './selected.ts';

/** Which of these ids a map has a point of: its dataset may hold rows that were added since it was made. */
export async function idsOnMap(
  context: StepContext,
  { map, idField, points }: Pick<MapFacts, 'idField' | 'points'> & { map: string },
  ids: readonly string[],
): Promise<Set<string>> {
  // Unique ids are texts: no other facts of the map change how this is written.
  const selectionOf = (where?: Where) => toSelection(where, { idField, columns: new Map(), ends: 'both' });
  const found = new Set<string>();
  await inBatches([...new Set(ids)], context.connection('maps').batch.ids, async (batch) => {
    let count = 0;
    await selectPoints(context, map, selectionOf({ category: idField, in: batch }), async (some) => {
      count += some.length;
      for (const id of some) found.add(id);
    });
    if (count < batch.length) await checkWhole(context, { count, points }, () => countPoints(context, map, selectionOf()));
  });
  return found;
}
