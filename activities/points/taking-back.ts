import { exclusively } from '../../store/exclusive.ts';
import { openTagRecord, type TagName } from '../../store/tag-record.ts';
import type { StepContext } from '../frame/context.ts';

type Taking = Pick<StepContext, 'store' | 'signal'>;

/** Chunks of undos of one tag that can be under way at the same time, twice those of one undo: those that share a place wait for one another. */
const places = 16;

const placeOf = ({ connection, url, map, tag }: TagName, place: number): string =>
  `tag taken back ${JSON.stringify([connection, url, map, tag])} ${place}`;

/**
 * Looks whose points are and changes their tag, as a chunk of an undo does: between the two no step of the store sends points that the
 * look has not seen. Undos wait for no step. `chunk`: a number that undos side by side do not begin with alike.
 */
export const takingBack = <T>(context: Taking, name: TagName, chunk: number, act: () => Promise<T>): Promise<T> =>
  exclusively(context.store, placeOf(name, chunk % places), context, act);

/**
 * Waits until each undo that has looked whose points are has changed them. A step asks for it when its points are in the record and before
 * it sends them: an undo that looks from then on leaves them, and what one has looked at before would be untagged after it.
 */
export async function behindUndos(context: Taking, name: TagName): Promise<void> {
  if (!(await openTagRecord(context.store, name).isTakenBack())) return;
  await Promise.all(
    Array.from({ length: places }, (_, place) => exclusively(context.store, placeOf(name, place), context, async () => {})),
  );
}
