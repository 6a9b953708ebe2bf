import { taskQueueOf } from '../../store/store-id.ts';
import { rootOf } from '../find.ts';

/** What the ids of a run store's schedules begin with: pipelines of two projects may have one name. */
const prefixOf = (storeRoot: string): string => `${taskQueueOf(rootOf(storeRoot))}/`;

/** Id of a schedule at the Temporal server. */
export const scheduleId = (storeRoot: string, name: string): string => prefixOf(storeRoot) + name;

/** The name of a schedule by its id; undefined of one that is no schedule of this run store. */
export const nameIn = (storeRoot: string, id: string): string | undefined => {
  const prefix = prefixOf(storeRoot);
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
};
