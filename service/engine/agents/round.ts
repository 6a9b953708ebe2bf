import { countTokens, nanoUsdOf } from './prices.ts';
import { ProviderFailed, type Answer, type Situation } from './model.ts';
import { amend, bodyOf, change, entriesOf, messagesOf, say, wakeParent, type AgentRow } from './records.ts';
import { turnSeconds } from './pace.ts';
import type { EngineParts } from './parts.ts';
import { filesOf, ownerOf, settleTools } from './settle-tools.ts';
import { sayWithoutWeb } from './without-web.ts';

/** Rounds of one turn: a worker that only ever calls tools is ended. */
const mostRounds = 50;

/** Answers of a provider that may fail one after the other. */
const mostFailures = 5;

type End = { status: 'finished' | 'stopped' | 'failed'; error?: string; retry?: string | null };

/** Ends an agent's turn and lets the one that waits for it go on; inside a transaction. */
const writeEnd = ({ records, clock }: EngineParts, agent: AgentRow, { status, error, retry = null }: End): void => {
  for (const row of messagesOf(records, agent.id)) {
    const body = row.type === 'tool' ? bodyOf(row) : {};
    if (body.status === 'started') amend(records, row.id, { ...body, status: 'failed', result: { error: status } });
  }
  if (error !== undefined) say(records, agent, 'error', { text: error });
  change(records, agent.id, { status, due_at: null, stopping: 0, retry, round: agent.round + 1 });
  wakeParent(records, agent, clock.now());
};

export const endTurn = (parts: EngineParts, agent: AgentRow, end: End): void =>
  parts.records.transaction(() => writeEnd(parts, agent, end));

const capabilitiesOf = ({ capabilities }: AgentRow): Situation['capabilities'] => ({
  codeSearch: false,
  webSearch: false,
  ...(JSON.parse(capabilities) as object),
});

const situationOf = (parts: EngineParts, agent: AgentRow): Situation => ({
  agentId: agent.id,
  turn: agent.turn,
  round: agent.round,
  instructions: agent.instructions,
  entries: entriesOf(messagesOf(parts.records, agent.id)),
  files: filesOf(parts, agent),
  capabilities: capabilitiesOf(agent),
  model: agent.model,
  isSubAgent: agent.parent_id !== null,
});

const ask = async ({ model, settings }: EngineParts, situation: Situation, signal: AbortSignal): Promise<Answer> => {
  const { failures } = settings;
  if (failures.left > 0) {
    failures.left -= 1;
    throw new ProviderFailed('the provider failed by an order of the control plane', failures);
  }
  return model.answer(situation, signal);
};

/**
 * A provider that failed is asked again after 30, 60, 120 … seconds of the clock that can be moved, where that may help, and no sooner than
 * it asks for.
 */
const putOff = (parts: EngineParts, agent: AgentRow, { message, category, again, waitMs }: ProviderFailed): void => {
  const before = agent.retry === null ? 0 : (JSON.parse(agent.retry) as { attemptCount: number }).attemptCount;
  const attemptCount = before + 1;
  const goesOn = again && attemptCount < mostFailures;
  const at = parts.clock.now() + Math.max(30_000 * 2 ** before, waitMs);
  const retry = JSON.stringify({
    kind: 'provider_error',
    category,
    nextRetryAt: goesOn ? new Date(at).toISOString() : null,
    attemptCount,
    provider: parts.model.provider,
    model: agent.model,
    reason: message,
    operatorActionRequired: !goesOn,
  });
  if (goesOn) change(parts.records, agent.id, { retry, due_at: at });
  else endTurn(parts, agent, { status: 'failed', error: message, retry });
};

/** Keeps an answer with what it has cost, in one transaction: a round is charged once, however often it is begun. Without calls it ends the turn. */
const keep = (parts: EngineParts, agent: AgentRow, situation: Situation, answer: Answer): void => {
  const { records, host } = parts;
  const tokens = answer.tokens ?? countTokens(situation, answer);
  const nanoUsd = nanoUsdOf(parts.model.prices[answer.model], tokens);
  records.transaction(() => {
    const charged = records.run(
      `INSERT OR IGNORE INTO agent_spend (agent_id, round, model, nano_usd, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      agent.id,
      agent.round,
      answer.model,
      nanoUsd,
      tokens.inputTokens,
      tokens.outputTokens,
      tokens.cacheCreationTokens,
      tokens.cacheReadTokens,
      new Date().toISOString(),
    );
    if (charged > 0) host.charge(ownerOf(agent), { agentId: agent.id, nanoUsd });
    if (answer.thinking !== undefined) say(records, agent, 'thinking', { text: answer.thinking });
    if (answer.text !== undefined) say(records, agent, 'assistant', { text: answer.text });
    for (const { name, args } of answer.calls) say(records, agent, 'tool', { toolName: name, args, status: 'started' });
    if (answer.calls.length === 0) writeEnd(parts, agent, { status: 'finished' });
    else change(records, agent.id, { retry: null });
  });
};

/** One step of an agent that is due: its turn begins, or its tools go on, or its model is asked. */
export const step = async (parts: EngineParts, agent: AgentRow, signal: AbortSignal): Promise<void> => {
  const { records, clock, settings, reach, host } = parts;
  if (agent.stopping) return endTurn(parts, agent, { status: 'stopped' });
  if (agent.status === 'waiting') {
    const at = clock.now() + turnSeconds(settings.pace, agent.id, agent.turn) * 1_000;
    records.transaction(() => {
      const begins = agent.turn === 1 && agent.parent_id === null;
      if (begins && capabilitiesOf(agent).webSearch && !parts.model.searchesWeb) sayWithoutWeb(records, agent);
      change(records, agent.id, { status: 'running', due_at: at });
    });
    return;
  }
  const messages = messagesOf(records, agent.id);
  const open = messages.filter((row) => row.type === 'tool' && bodyOf(row).status === 'started');
  if (open.length > 0) return settleTools(parts, agent, open, signal);

  const begun = messages.find(({ turn }) => turn === agent.turn)?.round ?? agent.round;
  if (agent.round - begun >= mostRounds) return endTurn(parts, agent, { status: 'failed', error: `not done after ${mostRounds} rounds` });
  const blocked = host.blocked(ownerOf(agent));
  if (blocked) return endTurn(parts, agent, { status: 'failed', error: `spend_limit_reached: ${blocked.says}` });
  const situation = situationOf(parts, agent);
  let answer: Answer;
  try {
    answer = await ask(parts, situation, signal);
  } catch (error) {
    if (!(error instanceof ProviderFailed) || signal.aborted) throw error;
    return putOff(parts, agent, error);
  }
  await reach('agent.answered');
  signal.throwIfAborted();
  keep(parts, agent, situation, answer);
  if (answer.calls.length === 0) return;
  const asked = messagesOf(records, agent.id).filter((row) => row.type === 'tool' && bodyOf(row).status === 'started');
  return settleTools(parts, agent, asked, signal);
};
