import { ApiError } from '../../client/errors.ts';
import type { OutputOf } from '../../client/invoke.ts';
import { ServiceFailed } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';
import { fileName } from './file-name.ts';

type Conversation = OutputOf<'instance.agents.conversation'>;

/** An agent that another one has started; `place`: its folder below that of the first one. */
export type SubAgent = { place: string[]; agent: OutputOf<'instance.agents.get'>; conversation: Conversation };

/** Agents below one, of whatever depth. */
const most = 1_000;

/** Agents that one has started, by the steps of its conversation, each before those that it has started itself. One that was deleted is left out. */
export async function* subAgentsOf(
  id: string,
  conversation: Conversation,
  { invoke, signal }: StepContext,
): AsyncGenerator<SubAgent, void, undefined> {
  const seen = new Set([id]);
  const below = async function* (messages: Conversation['messages'], above: readonly string[]): AsyncGenerator<SubAgent, void, undefined> {
    for (const [at, sub] of messages.flatMap(({ subAgentIds }) => subAgentIds ?? []).entries()) {
      if (seen.has(sub)) continue;
      if (seen.size > most) throw new ServiceFailed(`agent ${id} has started more than ${most} agents: what they have made is not kept`);
      seen.add(sub);
      const known = await read(sub);
      if (!known) continue;
      const place = [...above, 'sub-agents', `${String(at + 1).padStart(2, '0')}-${fileName(sub)}`];
      yield { place, ...known };
      yield* below(known.conversation.messages, place);
    }
  };
  const read = async (sub: string): Promise<Omit<SubAgent, 'place'> | undefined> => {
    try {
      const agent = await invoke('instance.agents.get', { id: sub }, { signal });
      return { agent, conversation: await invoke('instance.agents.conversation', { id: sub, include: ['steps'] }, { signal }) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  };
  yield* below(conversation.messages, []);
}
