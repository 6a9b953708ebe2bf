import { createOwnFetch } from '../../client/own-fetch.ts';
import { readResults } from '../../store/results.ts';
import type { StepContext } from '../frame/context.ts';
import { countEffects, type EffectsLeft } from './effects-left.ts';
import { secretsRead } from './secrets.ts';
import type { Doors } from './thread/host/doors.ts';

/**
 * What the code of an own step may use of the worker. `scope` is the item of a sweep: equal requests of one item are
 * attempts of one request. `effects` counts what leaves.
 */
export function doorsOf(
  context: StepContext,
  { scope = '', signal = context.signal, effects = countEffects() }: { scope?: string; signal?: AbortSignal; effects?: EffectsLeft } = {},
): Doors {
  const { invoke, pages, callScope, own, store } = context;
  const secret = async (name: string): Promise<string> => secretsRead.note(name, await own.secret(name));
  return {
    progress: ({ note, ...latest }) => context.progress({ ...latest, ...(note === undefined ? {} : { note: secretsRead.scrub(note) }) }),
    invoke: (operation, input, options) => effects.follow((onLeaving) => invoke(operation, input, { ...options, onLeaving })),
    pages,
    fetch: (url, init) =>
      effects.follow(
        (leaving) => {
          const fence = async (): Promise<void> => {
            await context.fence();
            leaving();
          };
          return createOwnFetch({ ...own, secret }, { scope: `${callScope}/${scope}`, signal, fence })(url, init);
        },
        ({ status }) => status >= 400 && status < 500,
      ),
    secret,
    rows: (results) => readResults(store, results),
  };
}
