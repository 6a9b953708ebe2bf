import { ApiError } from '../../client/errors.ts';
import type { OutputOf } from '../../client/invoke.ts';
import { endStatuses } from '../../contracts/instance/agent-shapes.ts';
import { followUpFor } from '../../pipelines/steps/agent/follow-ups.ts';
import type { AgentInput } from '../../pipelines/steps/agent/run.ts';
import type { Intents } from '../../store/intents.ts';
import type { Reservations } from '../../store/reservations.ts';
import { sendOnce } from '../effects/send-once.ts';
import type { StepContext } from '../frame/context.ts';
import type { Ended } from '../own/ledger-rows.ts';
import { collect } from './collect.ts';
import { markOf, withMark, type NamedItem } from './items.ts';
import { readyFiles, type ReadyFiles } from './prepare-files.ts';
import { launchedWith, type Seen } from './sightings.ts';

/** What the items of a chunk have in common while they are looked at once. */
export type Pass = {
  input: AgentInput;
  context: StepContext;
  /** Agents that were there before the step began. */
  before: readonly string[];
  live: () => Promise<ReadonlyMap<string, Seen>>;
  reservations: Reservations | undefined;
  /** Nothing more is launched in this pass: a limit is closed, or the budget is spent. */
  mayLaunch: () => boolean;
};

type Fate = Omit<Ended, 'attempts'>;

/** What is known of an item from one look to the next: when it last changed, and why it is being stopped. */
type Noted = { status: string; updatedAt: string | null; since: number; stopping?: 'stalled' | 'capped' };

type Launched = { agent: string };

const isEnd = (status: string): boolean => endStatuses.some((end) => end === status);

const noted = 'noted';

/** Launches the item's agent, or finds the one that was launched: by its mark, or by its files. */
async function launch(
  { item: { mark, prompt } }: NamedItem,
  files: ReadyFiles,
  context: StepContext,
  { input, before }: Pass,
): Promise<string> {
  const slots = files.filter(({ slot }) => slot !== null);
  const body = {
    ...(prompt === null ? {} : { prompt: { text: withMark(prompt, mark) } }),
    ...(input.workflow === undefined ? { fileIds: files.map(({ id }) => id) } : { workflowId: input.workflow }),
    ...(input.version === undefined ? {} : { workflowVersionId: input.version }),
    ...(slots.length === 0 ? {} : { workflowInputs: Object.fromEntries(slots.map(({ slot, id }) => [slot!, id])) }),
    ...(input.project === undefined ? {} : { projectId: input.project }),
    ...(input.model === undefined ? {} : { model: input.model }),
    ...(input.mode === undefined ? {} : { mode: input.mode }),
    ...(input.codeSearch ? { capabilities: { codeSearch: true } } : {}),
  };
  const { value } = await sendOnce<Launched>(context, {
    operation: 'instance.agents.launch',
    input: { mark },
    send: async () => ({ agent: (await context.invoke('instance.agents.launch', body, { signal: context.signal })).id }),
    lookup: {
      async find() {
        const [agent, ...more] = await launchedWith(context, { mark, files: slots.map(({ id }) => id) }, before);
        if (agent === undefined) return 'absent';
        return more.length === 0 ? { answer: { agent } } : { unknown: `${more.length + 1} agents carry the mark ${mark}` };
      },
    },
  });
  return value.agent;
}

/** Prompts that were sent so far. */
const turnOf = (intents: Intents): number =>
  1 + [...intents.calls()].filter(([call, { is }]) => call.startsWith('instance.agents.followup ') && is === 'done').length;

/** Sends a further prompt once. Its mark tells it from every other message. */
async function follow(agent: string, text: string, mark: string, context: StepContext): Promise<void> {
  const prompt = { text: withMark(text, mark) };
  await sendOnce<Launched>(context, {
    operation: 'instance.agents.followup',
    input: { agent, mark },
    send: async () => ({ agent: (await context.invoke('instance.agents.followup', { id: agent, prompt }, { signal: context.signal })).id }),
    lookup: {
      async find() {
        const { messages } = await context.invoke('instance.agents.conversation', { id: agent }, { signal: context.signal });
        return messages.some(({ type, text: said }) => type === 'user' && said?.includes(`[ref ${mark}]`))
          ? { answer: { agent } }
          : 'absent';
      },
    },
  });
}

const costOf = async (agent: string, { invoke, signal }: StepContext): Promise<number> =>
  (await invoke('instance.agents.usage', { id: agent }, { signal })).spend.reduce((sum, { costUsd }) => sum + costUsd, 0);

/** Of an agent that goes on: stops it where it has not changed for too long, or costs too much. */
async function watch(seen: Seen, { input, context }: Pass, own: StepContext): Promise<void> {
  const intents = own.intents();
  const state = intents.state(noted);
  const last = state.is === 'done' ? (state.result as Noted) : undefined;
  if (last?.stopping) return;
  const changed = !last || last.status !== seen.status || last.updatedAt !== seen.updatedAt;
  const since = changed ? Date.now() : last.since;
  const stopping =
    Date.now() - since >= input.stallSeconds * 1_000
      ? 'stalled'
      : input.cap && (await costOf(seen.id, context)) >= input.cap.item
        ? 'capped'
        : undefined;
  if (changed || stopping)
    intents.done(noted, { status: seen.status, updatedAt: seen.updatedAt, since, ...(stopping ? { stopping } : {}) } satisfies Noted);
  if (stopping) await context.invoke('instance.agents.stop', { id: seen.id }, { signal: context.signal });
}

const why: Readonly<Record<string, string>> = {
  stalled: 'showed no change for stallSeconds and was stopped',
  capped: 'came to cap.item and was stopped',
  stopped: 'was stopped by somebody else',
};

const lastWordOf = ({ messages }: OutputOf<'instance.agents.conversation'>): string =>
  messages.findLast(({ type }) => type === 'assistant' || type === 'error')?.text ?? '';

/** What becomes of an agent that has ended: a further prompt, or its end, with all that it has left kept. */
async function finish(
  agent: string,
  status: string,
  item: NamedItem,
  into: string,
  pass: Pass,
  own: StepContext,
): Promise<Fate | undefined> {
  const { input, context } = pass;
  const { followUps, turns } = input;
  const intents = own.intents();
  const state = intents.state(noted);
  const stopping = state.is === 'done' ? (state.result as Noted).stopping : undefined;
  const turn = turnOf(intents);
  const conversation = await context.invoke('instance.agents.conversation', { id: agent, include: ['steps'] }, { signal: context.signal });
  const text = lastWordOf(conversation);
  const rule = stopping ? undefined : followUpFor(followUps, { status, lastWord: text, turn, turns });
  if (rule) {
    if (!pass.mayLaunch()) return undefined;
    await follow(agent, item.item.followUps[followUps.indexOf(rule)]!, markOf(item.item.mark, String(turn + 1)), own);
    return undefined;
  }
  const kept = await collect(agent, { into, exports: input.exports, conversation }, context);
  pass.reservations?.commit(item.key, kept.costUsd);
  const ends = status === 'finished' ? 'done' : (stopping ?? status);
  const { costUsd: cost_usd, inputTokens: input_tokens, outputTokens: output_tokens, artifacts, folder } = kept;
  const result = { item: item.key, agent, status: ends, turns: turn, text, cost_usd, input_tokens, output_tokens, artifacts, folder };
  return {
    status: ends,
    result,
    ...(ends === 'done' ? {} : { reason: why[ends] ?? `the agent ended as ${status}: ${text.slice(0, 300)}` }),
  };
}

/** A follow-up that was begun and whose end nobody saw: it is looked up, and sent where it has not arrived. */
async function settleFollowUp(agent: string, item: NamedItem, { input, context }: Pass, own: StepContext): Promise<void> {
  const open = [...own.intents().calls()].some(([call, { is }]) => call.startsWith('instance.agents.followup ') && is === 'open');
  if (!open) return;
  const turn = turnOf(own.intents());
  const mark = markOf(item.item.mark, String(turn + 1));
  const { messages } = await context.invoke('instance.agents.conversation', { id: agent }, { signal: context.signal });
  const { status } = await context.invoke('instance.agents.get', { id: agent }, { signal: context.signal });
  const rule = followUpFor(input.followUps, { status, lastWord: lastWordOf({ id: agent, messages }), turn, turns: input.turns });
  // Once it has arrived the text counts for nothing: it is found by its mark.
  await follow(agent, item.item.followUps[rule ? input.followUps.indexOf(rule) : 0] ?? '', mark, own);
}

/** Takes an item as far as it can go now; undefined while it has not ended. `own`: with a journal of the item's own. */
export async function advance(item: NamedItem, into: string, pass: Pass, own: StepContext): Promise<Fate | undefined> {
  const { input, context, reservations } = pass;
  const launches = [...own.intents().calls()].find(([call]) => call.startsWith('instance.agents.launch '))?.[1];
  let agent = launches?.is === 'done' ? (launches.result as Launched).agent : undefined;
  if (agent === undefined) {
    if (!pass.mayLaunch()) return undefined;
    const files = await readyFiles(item.item, context);
    if (!files) return undefined;
    const reserved = input.cap?.total === undefined ? 'reserved' : reservations!.reserve(item.key, input.cap.item);
    if (reserved === 'wait') return undefined;
    if (reserved === 'never' || input.cap?.item === 0)
      return { status: 'capped', reason: 'not launched: what it might cost is more than cap leaves' };
    agent = await launch(item, files, own, pass);
    return undefined;
  }
  await settleFollowUp(agent, item, pass, own);
  const seen = (await pass.live()).get(agent);
  if (seen) {
    await watch(seen, pass, own);
    return undefined;
  }
  try {
    const { status, updatedAt = null } = await context.invoke('instance.agents.get', { id: agent }, { signal: context.signal });
    if (isEnd(status)) return await finish(agent, status, item, into, pass, own);
    await watch({ id: agent, status, updatedAt }, pass, own);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      return { status: 'failed', reason: `agent ${agent} is gone: somebody has deleted it` };
    throw error;
  }
}
