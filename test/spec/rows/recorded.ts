import type { CallOptions } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Exchange } from '../../../client/exchange.ts';
import { createCalls, type InputOf, type Invoke } from '../../../client/invoke.ts';
import { createPermits } from '../../../client/permits.ts';
import { revealing } from '../../../client/secret-sink.ts';
import type { OperationName } from '../../../contracts/index.ts';
import { indexOrder, shardOf } from '../../service/world.ts';
import { refusalOf, type Place } from '../place.ts';
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
    const { invoke } = createCalls(() => ({
      baseUrl: place.service.url,
      token,
      permits: createPermits(),
      secrets: revealing,
      ...(by ? { by } : {}),
    }));
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
      const email = `${name}@example.com`;
      const { id } = (await place.api.post('/__control/users', { name, email })).body as { id: string };
      const { key } = (await place.api.post('/__control/keys', { service: 'maps', name, user: id })).body as { key: string };
      return { id, email, token: key };
    },
    map,
    shardOf,
    indexOrder,
  };
  return { at, sent };
}
