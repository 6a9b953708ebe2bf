import { ApiError } from '../../client/errors.ts';
import type { AssumptionName, Readings } from '../../contracts/assumptions/index.ts';
import type { Ask } from '../../contracts/endpoint.ts';
import { goesDown, list } from '../../contracts/instance/agents.ts';
import { search } from '../../contracts/instance/codes.ts';
import type { Found } from './found.ts';

/** The readings of the instance API that show by reads alone, on agents of the key's user; what the key may not read shows nothing. */
export async function instanceProbes(ask: Ask): Promise<Found> {
  const found: Found = { readings: {}, unknown: {} };
  const look = async (names: readonly AssumptionName[], act: () => Promise<Partial<Readings>>): Promise<void> => {
    try {
      Object.assign(found.readings, await act());
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryable) throw error;
      for (const name of names) found.unknown[name] = error.message;
    }
  };
  await look(['unknown-jurisdiction'], async () => ({ 'unknown-jurisdiction': await unknownJurisdiction(ask) }));
  await look(['agent-order', 'absent-values'], async () => {
    const { data } = await ask(list, { limit: 100 });
    const order = goesDown(data) ? 'newest' : goesDown(data.toReversed()) ? 'oldest' : undefined;
    if (order === undefined) found.unknown['agent-order'] = 'the key has no two agents of different times';
    const [agent] = data;
    if (!agent) found.unknown['absent-values'] = 'the key has no agent';
    return {
      ...(order && { 'agent-order': order }),
      // An agent that is tried again at this moment has all of its values.
      ...(agent && { 'absent-values': ['retry', 'workflowId'].every((field) => field in agent) ? 'null' : 'left-out' }),
    };
  });
  return found;
}

async function unknownJurisdiction(ask: Ask): Promise<Readings['unknown-jurisdiction']> {
  try {
    await ask(search, { query: 'door', jurisdiction: 'portolan-no-such-place', codeType: 'building', limit: 1 });
    return 'empty';
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'not-found';
    throw error;
  }
}
