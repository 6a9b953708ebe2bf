import pLimit from 'p-limit';
import { ApiError } from '../../client/errors.ts';
import { patient } from '../../client/patient.ts';
import { costOf, hasEnded } from '../../contracts/instance/agent-shapes.ts';
import { counted } from '../../text/units.ts';
import type { StepContext } from '../frame/context.ts';

/** Agents that are asked for at a time, and that a note names. */
const atOnce = 4;
const mostNamed = 5;

/**
 * What agents of earlier runs count against the cap with which no item goes on, for it has changed or is gone, in US dollars: what they have
 * cost, and while one is under way no less than it may cost, `most`. So much counts one that is gone, too, of which more is not known.
 */
export async function spentByLeftBehind(agents: readonly string[], most: number, context: StepContext): Promise<number> {
  const { invoke, signal, store, step } = patient(context);
  const live: string[] = [];
  const costs = await pLimit(atOnce).map(agents, async (id) => {
    try {
      const { status } = await invoke('instance.agents.get', { id }, { signal });
      const cost = costOf(await invoke('instance.agents.usage', { id }, { signal }));
      if (hasEnded({ status })) return cost;
      live.push(id);
      return Math.max(cost, most);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return most;
      throw error;
    }
  });
  if (live.length > 0) {
    const names = `${live.slice(0, mostNamed).join(', ')}${live.length > mostNamed ? ' …' : ''}`;
    const cause = `${counted(live.length, 'agent')} of earlier runs may go on, and cost, of items that have changed or are gone (${names}): instance.agents.stop ends one`;
    await store.event({ step, kind: 'note', cause });
  }
  return costs.reduce((sum, cost) => sum + cost, 0);
}
