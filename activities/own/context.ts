import { createOwnFetch } from '../../client/own-fetch.ts';
import { saysRefused } from '../../client/says-refused.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import { readResults } from '../../store/results.ts';
import type { StepContext } from '../frame/context.ts';
import { createAllowance, type AttemptOf } from './allowance.ts';
import { countEffects, type EffectsLeft } from './effects-left.ts';
import { secretsRead } from './secrets.ts';
import type { Doors } from './thread/host/doors.ts';

/**
 * What the code of an own step may use of the worker: of the APIs the operations that it lists. `scope` is the item of a sweep: equal requests of one item are
 * attempts of one request. `effects` counts what leaves.
 */
export function doorsOf(
  own: Pick<OwnStep, 'name' | 'operations' | 'effect'>,
  context: StepContext,
  {
    scope = '',
    of = 'whole',
    signal = context.signal,
    effects = countEffects(),
  }: { scope?: string; of?: AttemptOf; signal?: AbortSignal; effects?: EffectsLeft } = {},
): Doors {
  const { invoke, pages, callScope, store } = context;
  const count = createAllowance(own, of);
  const secret = async (name: string): Promise<string> => secretsRead.note(name, await context.own.secret(name));
  return {
    progress: ({ note, ...latest }) => context.progress({ ...latest, ...(note === undefined ? {} : { note: secretsRead.scrub(note) }) }),
    invoke: async (operation, input, options) => {
      count(operation);
      return effects.follow((onLeaving) => invoke(operation, input, { ...options, onLeaving }));
    },
    async *pages(operation, input, options) {
      yield* pages(operation, input, { ...options, each: async (ask) => (count(operation), ask()) });
    },
    fetch: (url, init) =>
      effects.follow(
        (leaving) => {
          const fence = async (): Promise<void> => {
            await context.fence();
            leaving();
          };
          return createOwnFetch(
            { ...context.own, secret },
            { scope: `${callScope}/${scope}`, signal, fence, never: own.effect === 'never' },
          )(url, init);
        },
        ({ status }) => saysRefused(status),
      ),
    secret,
    rows: (results) => readResults(store, results),
  };
}
