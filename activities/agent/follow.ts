import type { OutputOf } from '../../client/invoke.ts';
import { followUpFor, type FollowUp } from '../../pipelines/steps/agent/follow-ups.ts';
import { withMark } from '../../pipelines/steps/agent/prompt.ts';
import type { Intents } from '../../store/intents.ts';
import { sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { markOf, type NamedItem } from './items.ts';
import type { Launched } from './launch.ts';
import type { Pass } from './pass.ts';

type Conversation = OutputOf<'instance.agents.conversation'>;

const followUps = 'instance.agents.followup ';

/** Prompts that were sent so far. */
export const turnOf = (intents: Intents): number =>
  1 + [...intents.calls()].filter(([call, { is }]) => call.startsWith(followUps) && is === 'done').length;

export const lastWordOf = ({ messages }: Pick<Conversation, 'messages'>): string =>
  messages.findLast(({ type }) => type === 'assistant' || type === 'error')?.text ?? '';

/** Sends a further prompt once. Its mark tells it from every other message. */
export async function follow(agent: string, rule: FollowUp | undefined, item: NamedItem, { input }: Pass, own: StepContext): Promise<void> {
  const mark = markOf(item.item.mark, String(turnOf(own.intents()) + 1));
  // Where the rule is not known any more it was sent: it is found by its mark, and its text counts for nothing.
  const prompt = { text: withMark(item.item.followUps[rule ? input.followUps.indexOf(rule) : 0] ?? '', mark) };
  const { invoke, signal } = own;
  await sendOnce<Launched>(own, {
    operation: 'instance.agents.followup',
    input: { agent, mark },
    send: async () => ({ agent: (await invoke('instance.agents.followup', { id: agent, prompt }, { signal })).id }),
    lookup: {
      async find() {
        const { messages } = await invoke('instance.agents.conversation', { id: agent }, { signal });
        return messages.some(({ type, text }) => type === 'user' && text?.includes(`[ref ${mark}]`)) ? { answer: { agent } } : 'absent';
      },
    },
  });
}

/** A follow-up that was begun and whose end nobody saw: it is looked up, and sent where it has not arrived. */
export async function settleFollowUp(agent: string, item: NamedItem, pass: Pass, own: StepContext): Promise<void> {
  const open = [...own.intents().calls()].some(([call, { is }]) => call.startsWith(followUps) && is === 'open');
  if (!open) return;
  const { input, context } = pass;
  const { messages } = await context.invoke('instance.agents.conversation', { id: agent }, { signal: context.signal });
  const { status } = await context.invoke('instance.agents.get', { id: agent }, { signal: context.signal });
  const turn = turnOf(own.intents());
  const rule = followUpFor(input.followUps, { status, lastWord: lastWordOf({ messages }), turn, turns: input.turns });
  await follow(agent, rule, item, pass, own);
}
