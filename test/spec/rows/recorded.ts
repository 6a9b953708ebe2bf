import type { CallOptions } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Exchange } from '../../../client/exchange.ts';
import type { InputOf, Invoke } from '../../../client/invoke.ts';
import { serviceOf, type OperationName, type Service } from '../../../contracts/index.ts';
import { callsOf, indexOrder, shardOf } from '../../service/world.ts';
import { addPerson, refusalOf, type Place } from '../place.ts';
import type { Sent } from './missing.ts';
import type { MadeMap, Shown } from './row.ts';

/** Users that were made: an email is one person's. */
let users = 0;

/** `by`: sends the requests in another way. */
type Options = { map: () => Promise<MadeMap>; by?: Exchange };

/** What a row has at hand, and what became of its calls, in their order. */
export function recorded(place: Place, { map, by }: Options): { at: Shown; sent: readonly Sent[] } {
  const sent: Sent[] = [];
  const withKeys = (keys: Readonly<Record<Service, string>>): Invoke => {
    return async <N extends OperationName>(operation: N, input: InputOf<N>, options?: CallOptions) => {
      try {
        const { invoke } = callsOf(place, keys[serviceOf(operation)], by ? { by } : {});
        return await invoke(operation, input, { ...options, onAnswer: ({ status }) => sent.push({ operation, status }) });
      } catch (error) {
        if (error instanceof ApiError) sent.push({ operation, status: error.status });
        throw error;
      }
    };
  };
  const at: Shown = {
    invoke: withKeys(place.service.adminKeys),
    withKey: (token) => withKeys({ maps: token, instance: token }),
    refused: async (call) => (await refusalOf(call)).status,
    organization: place.organization,
    async user(ofKey) {
      const name = `user-${++users}`;
      const { id, email, key } = await addPerson(place, name, ofKey);
      return { id, email, token: key };
    },
    map,
    async hold(operation) {
      const { id } = (await place.api.post('/__control/faults', { operation, do: { hold: 'before' } })).body as { id: string };
      return async () => void (await place.api.post('/__control/release', { id }));
    },
    shardOf,
    indexOrder,
  };
  return { at, sent };
}
