import type { OutputOf } from '../../client/invoke.ts';
import { followUpFor } from '../../pipelines/steps/agent/follow-ups.ts';
import type { AgentInput } from '../../pipelines/steps/agent/input.ts';
import { withMark } from '../../pipelines/steps/agent/prompt.ts';
import type { Intents } from '../../store/intents.ts';
import { sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import { endedByBudget, goOn } from './budget-spent.ts';
import { markOf, type NamedItem } from './items.ts';
import { followUps, sentIn } from './follow-ups-sent.ts';
import { launchCalls, type Launched } from './launch.ts';
import type { Pass } from './pass.ts';

type Conversation = OutputOf<'instance.agents.conversation'>;

/** A further prompt. `goesOn`: with a turn that was not done when the budget ended, so that it is no turn of its own. */
export type Further = { text: string; goesOn?: true };

type Sent = Launched & Pick<Further, 'goesOn'>;

/** Turns so far: prompts that were sent, but for those that go on with one. */
export const turnOf = (intents: Intents): number =>
  1 + sentIn(intents).filter((state) => state.is === 'done' && !(state.result as Sent).goesOn).length;

/** Was its agent prompted by this run, and not by those before it alone? Of those the journal has what came of a call, and no intent. */
export const promptedHere = (intents: Intents): boolean =>
  [...intents.calls()].some(
    ([call, { is, intents: begun }]) => (call.startsWith(launchCalls) || call.startsWith(followUps)) && is === 'done' && begun.length > 0,
  );

/** Further prompts that were sent. */
const doneIn = (intents: Intents): number => sentIn(intents).filter(({ is }) => is === 'done').length;

/** The mark of the further prompt of this number, from 1: that of the launch is the item's own. */
const furtherMark = ({ item }: NamedItem, number: number): string => markOf(item.mark, String(number + 1));

const bears = (text: string | null | undefined, mark: string): boolean => text?.includes(`[ref ${mark}]`) ?? false;

export const lastWordOf = ({ messages }: Pick<Conversation, 'messages'>): string =>
  messages.findLast(({ type }) => type === 'assistant' || type === 'error')?.text ?? '';

/** A service may show so long that an agent has ended before it shows that it was asked something more, and what it has said to that. */
const mostLagMs = 60_000;

/** Is what the service shows of an agent that has ended the end of the turn before? `intents` keeps when that was seen first. */
export function lags(
  { status, messages }: { status: string } & Pick<Conversation, 'messages'>,
  item: NamedItem,
  intents: Intents,
): boolean {
  const done = doneIn(intents);
  const asked = messages.findLastIndex(({ type }) => type === 'user');
  const said = messages.findLastIndex(({ type }) => type === 'assistant' || type === 'error');
  const isShown = done === 0 || messages.some(({ type, text }) => type === 'user' && bears(text, furtherMark(item, done)));
  const isOver = isShown && (status !== 'finished' || asked <= said);
  if (isOver) return false;
  const call = `lags behind prompt ${done + 1}`;
  const known = intents.state(call);
  if (known.is !== 'done') intents.done(call, Date.now());
  return known.is !== 'done' || Date.now() - (known.result as number) < mostLagMs;
}

/** The further prompt of an agent that has ended so, if there is one. */
export function furtherFor(
  { status, messages }: { status: string } & Pick<Conversation, 'messages'>,
  { item }: NamedItem,
  input: AgentInput,
  intents: Intents,
): Further | undefined {
  if (endedByBudget({ status, messages })) return { text: goOn, goesOn: true };
  const rule = followUpFor(input.followUps, { status, lastWord: lastWordOf({ messages }), turn: turnOf(intents), turns: input.turns });
  return rule && { text: item.followUps[input.followUps.indexOf(rule)]! };
}

/** Sends a further prompt once. Its mark tells it from every other message. */
export async function follow(agent: string, further: Further, item: NamedItem, own: StepContext): Promise<void> {
  const mark = furtherMark(item, doneIn(own.intents()) + 1);
  const prompt = { text: withMark(further.text, mark) };
  const { invoke, signal } = own;
  const sent = ({ goesOn }: Pick<Further, 'goesOn'>): Sent => ({ agent, ...(goesOn && { goesOn }) });
  await sendOnce<Sent>(own, {
    operation: 'instance.agents.followup',
    input: { agent, mark },
    async send() {
      await invoke('instance.agents.followup', { id: agent, prompt }, { signal });
      return sent(further);
    },
    lookup: {
      async find() {
        const { messages } = await invoke('instance.agents.conversation', { id: agent }, { signal });
        const there = messages.find(({ type, text }) => type === 'user' && bears(text, mark));
        return there ? { answer: sent(there.text === withMark(goOn, mark) ? { goesOn: true } : {}) } : 'absent';
      },
    },
  });
}

/** A follow-up that was begun and whose end nobody saw: it is looked up, and sent where it has not arrived. Was there one? */
export async function settleFollowUp(agent: string, item: NamedItem, { input, context }: Pass, own: StepContext): Promise<boolean> {
  if (!sentIn(own.intents()).some(({ is }) => is === 'open')) return false;
  const { messages } = await context.invoke('instance.agents.conversation', { id: agent }, { signal: context.signal });
  const { status } = await context.invoke('instance.agents.get', { id: agent }, { signal: context.signal });
  // Where none is known any more it was sent: it is found by its mark, and its text counts for nothing.
  const further = furtherFor({ status, messages }, item, input, own.intents()) ?? { text: item.item.followUps[0] ?? goOn };
  await follow(agent, further, item, own);
  return true;
}
