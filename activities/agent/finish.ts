import type { OutputOf } from '../../client/invoke.ts';
import { inPlace, patient } from '../../client/patient.ts';
import type { StepContext } from '../frame/context.ts';
import { sayCap } from './caps.ts';
import { collect } from './collect.ts';
import { follow, furtherFor, lags, lastWordOf, promptedHere, turnOf, type Further } from './follow.ts';
import type { NamedItem } from './items.ts';
import type { Fate, Pass } from './pass.ts';
import { readSpent, stillSpends, type Spent } from './spent.ts';
import { verdictOf } from './verdict.ts';
import { forgetStop, stoppingOf } from './watch.ts';

type Agent = OutputOf<'instance.agents.get'>;

/** Why an agent is not prompted that would be: the item ends so, and a rerun goes on with it. */
type Barred = { by: 'capped' | 'spent'; reason: string };

const why: Readonly<Record<string, string>> = {
  stalled: 'showed no change for stallSeconds and was stopped',
  capped: 'came to cap.item and was stopped',
  stopped: 'was stopped by somebody else',
};

/** Sends a further prompt as soon as that is possible; what it might cost is set aside first, as at a launch. `text`: what the agent has said last; `spent`: what it has cost. */
async function prompt(
  { id, text, further, spent }: { id: string; text: string; further: Further; spent: Spent },
  item: NamedItem,
  pass: Pass,
  own: StepContext,
): Promise<Barred | undefined> {
  // Prompted again at once it would end so again.
  if (further.goesOn && promptedHere(own.intents())) return { by: 'spent', reason: `agent ${id} has ended by ${text.slice(0, 300)}` };
  if (!pass.mayLaunch()) return undefined;
  await own.held();
  const verdict = pass.caps?.extend(item.key, spent.cost_usd) ?? 'reserved';
  const most = pass.input.cap?.item ?? Infinity;
  const left =
    spent.cost_usd >= most ? `it has come to cap.item ${most}` : `what that might cost is more than ${sayCap(pass.input.cap)} leaves`;
  if (verdict === 'never') return { by: 'capped', reason: `not prompted further: ${left}` };
  if (verdict === 'wait') {
    pass.wait();
    return undefined;
  }
  try {
    await follow(id, further, item, own);
    return undefined;
  } catch (error) {
    if (verdictOf(error) !== 'spent') throw error;
    return { by: 'spent', reason: (error as Error).message };
  }
}

/** What becomes of an agent that has ended: a further prompt, or its end, with all that it has left kept. */
export async function finish(agent: Agent, item: NamedItem, into: string, pass: Pass, own: StepContext): Promise<Fate | undefined> {
  const { input, context } = pass;
  // Given up half-way by each of many agents that have ended, none of them would ever be read to its end.
  const reading = {
    ...patient(context),
    exportedFile: (...of: Parameters<StepContext['exportedFile']>) => inPlace(() => context.exportedFile(...of), context.signal),
  };
  const { id, status } = agent;
  const intents = own.intents();
  if (status === 'finished') forgetStop(intents);
  const stopping = stoppingOf(intents);
  // Read first: what cannot be fetched behind it has cost what it has.
  const { usage, spent } = await readSpent(id, patient(own));
  const conversation = await reading.invoke('instance.agents.conversation', { id, include: ['steps'] }, { signal: context.signal });
  if (lags({ status, ...conversation }, item, intents)) {
    stillSpends(spent, intents);
    return undefined;
  }
  const further = stopping ? undefined : furtherFor({ status, ...conversation }, item, input, intents);
  const text = lastWordOf(conversation);
  const barred = further && (await prompt({ id, text, further, spent }, item, pass, own));
  if (further && !barred) return undefined;
  await context.held();
  pass.caps?.commit(item.key, spent.cost_usd);
  const kept = await collect(agent, { into, exports: input.exports, conversation, usage }, reading);
  const ends = barred?.by ?? (status === 'finished' ? 'done' : (stopping ?? status));
  const result = { item: item.key, agent: id, status: ends, turns: turnOf(intents), text, ...spent, ...kept };
  if (ends === 'done') return { status: ends, result };
  if (barred) return { status: ends, result, goesOn: true, reason: barred.reason };
  return { status: ends, result, reason: why[ends] ?? `the agent ended as ${status}: ${text.slice(0, 300)}` };
}
