import { createOwnFetch } from '../../client/own-fetch.ts';
import { readResults } from '../../store/results.ts';
import type { StepContext } from '../frame/context.ts';
import { secretsRead } from './secrets.ts';
import type { Doors } from './thread/host/doors.ts';

/**
 * What the code of an own step may use of the worker. `scope` is the item of a sweep: equal requests of one item are
 * attempts of one request.
 */
export function doorsOf(
  context: StepContext,
  { scope = '', signal = context.signal }: { scope?: string; signal?: AbortSignal } = {},
): Doors {
  const { invoke, pages, callScope, own, store } = context;
  const secret = async (name: string): Promise<string> => secretsRead.note(name, await own.secret(name));
  return {
    progress: ({ note, ...latest }) => context.progress({ ...latest, ...(note === undefined ? {} : { note: secretsRead.scrub(note) }) }),
    invoke,
    pages,
    fetch: createOwnFetch({ ...own, secret }, { scope: `${callScope}/${scope}`, signal, fence: () => context.fence() }),
    secret,
    rows: (results) => readResults(store, results),
  };
}
