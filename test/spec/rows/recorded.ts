import type { CallOptions } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Exchange } from '../../../client/exchange.ts';
import type { InputOf, Invoke } from '../../../client/invoke.ts';
import type { OperationName } from '../../../contracts/index.ts';
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
  const withKey = (token: string): Invoke => {
    const { invoke } = callsOf(place, token, by ? { by } : {});
    return async <N extends OperationName>(operation: N, input: InputOf<N>, options?: CallOptions) => {
      try {
        return await invoke(operation, input, { ...options, onAnswer: ({ status }) => sent.push({ operation, status }) });
      } catch (error) {
        if (error instanceof ApiError) sent.push({ operation, status: error.status });
        throw error;
      }
    };
  };
  const at: Shown = {
    invoke: withKey(place.service.adminKeys.maps),
    withKey,
    refused: async (call) => (await refusalOf(call)).status,
    organization: place.organization,
    async user() {
      const name = `user-${++users}`;
      const { id, email, key } = await addPerson(place, name);
      return { id, email, token: key };
    },
    map,
    shardOf,
    indexOrder,
  };
  return { at, sent };
}
