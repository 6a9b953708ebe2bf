import { Inconclusive } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';

/** A selection that was read: its points, and those of its map where the service counts them. */
type Selected = { count: number; points: number | undefined };

/**
 * Fails where a service that caps its selections (assumption `selection-size`) may have left points out. A cap is one number for all
 * selections: one of `count` points is whole where some other gave more, or where it is every point of the map. The most that the
 * service of the connection has given is remembered, so that a map is asked for every point once at most.
 */
export async function checkWhole(context: StepContext, { count, points }: Selected, everyPoint: () => Promise<number>): Promise<void> {
  const connection = context.connection('maps');
  if (connection.readings['selection-size'] === 'whole' || count === 0) return;
  const key = JSON.stringify(['most selected', connection.name, context.mapsUrl('')]);
  const most = (await context.store.recall<number>(key)) ?? 0;
  if (count < most) return;
  const every = count === points ? count : await everyPoint();
  if (every > most) await context.store.remember(key, every);
  if (count < every || every === points) return;
  throw new Inconclusive(
    `${count} points were selected, and the selection of every point gives ${every} of ${points ?? 'a number that the service does not count'}: it may give no more at a time, so that points may be missing. Select fewer by narrower conditions; or name 'selection-size': 'whole' in the readings of the connection, if the service is known to give all`,
  );
}
