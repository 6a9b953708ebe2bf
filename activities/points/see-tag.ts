import { rm } from 'node:fs/promises';
import type { TagRecord } from '../../store/tag-record.ts';
import type { StepContext } from '../frame/context.ts';
import type { MapFacts } from './map-facts.ts';
import { readTag } from './read-tag.ts';

type Asked = Pick<MapFacts, 'dataset' | 'idField' | 'version'> & { map: string; tag: string; points: { uri: string } };

/** Where a dry run keeps what was seen before it. */
export const drySeen = ({ store, step }: StepContext): string => store.path('tags', `${step}.elsewhere`);

/**
 * Before the first point is sent: brings into the record what others have changed of the tag, by what the map says. `entry`: of the step;
 * a dry run has none. Returns false where the service does not say it.
 */
export async function seeTag(context: StepContext, record: TagRecord, { points, ...asked }: Asked, entry?: number): Promise<boolean> {
  const look = await record.look(entry);
  // An attempt before this one has seen it, and since then points may have been sent.
  if (look.entries.some(({ number, seen }) => number === entry && seen)) return true;
  const into = context.store.path('tags', `${context.step}.map`, context.attemptId);
  // Of points that no step has changed it is enough to know which have the tag.
  const every = look.entries.some(({ number }) => number !== entry);
  try {
    const read = await readTag(context, asked, { into, every });
    if ('map' in read) {
      // Of points that a later attempt has sent since this would say that others had changed them.
      await context.held();
      await record.see(look, points.uri, read.map, entry === undefined ? drySeen(context) : undefined);
      return true;
    }
    const cause = `this service does not say which points of the map have the tag '${asked.tag}' (${read.unread}): how many change is not known, and tags that were set elsewhere are not told from those of runs`;
    await context.store.event({ step: context.step, kind: 'note', cause });
    return false;
  } finally {
    await rm(into, { recursive: true, force: true });
  }
}
