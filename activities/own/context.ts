import { createOwnFetch } from '../../client/own-fetch.ts';
import type { OperationName } from '../../contracts/index.ts';
import { BadInput } from '../../errors/classes.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import { readResults } from '../../store/results.ts';
import type { StepContext } from '../frame/context.ts';
import { countEffects, type EffectsLeft } from './effects-left.ts';
import { secretsRead } from './secrets.ts';
import type { Doors } from './thread/host/doors.ts';

/** Fails for an operation that the step does not list: no plan has shown it, and no gate has approved what it does. */
const checkListed = ({ name, operations = [] }: Pick<OwnStep, 'name' | 'operations'>, operation: OperationName): void => {
  if (operations.includes(operation)) return;
  throw new BadInput('bad_input', `${name} calls ${operation}, which is none of its \`operations\`: list it in the step`);
};

/**
 * What the code of an own step may use of the worker: of the APIs the operations that it lists. `scope` is the item of a sweep: equal requests of one item are
 * attempts of one request. `effects` counts what leaves.
 */
export function doorsOf(
  own: Pick<OwnStep, 'name' | 'operations'>,
  context: StepContext,
  { scope = '', signal = context.signal, effects = countEffects() }: { scope?: string; signal?: AbortSignal; effects?: EffectsLeft } = {},
): Doors {
  const { invoke, pages, callScope, store } = context;
  const secret = async (name: string): Promise<string> => secretsRead.note(name, await context.own.secret(name));
  return {
    progress: ({ note, ...latest }) => context.progress({ ...latest, ...(note === undefined ? {} : { note: secretsRead.scrub(note) }) }),
    invoke: async (operation, input, options) => {
      checkListed(own, operation);
      return effects.follow((onLeaving) => invoke(operation, input, { ...options, onLeaving }));
    },
    async *pages(operation, input, options) {
      checkListed(own, operation);
      yield* pages(operation, input, options);
    },
    fetch: (url, init) =>
      effects.follow(
        (leaving) => {
          const fence = async (): Promise<void> => {
            await context.fence();
            leaving();
          };
          return createOwnFetch({ ...context.own, secret }, { scope: `${callScope}/${scope}`, signal, fence })(url, init);
        },
        ({ status }) => status >= 400 && status < 500,
      ),
    secret,
    rows: (results) => readResults(store, results),
  };
}
