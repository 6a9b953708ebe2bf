import { goesDown } from '../../contracts/instance/agents.ts';
import { markIn } from '../../pipelines/steps/agent/prompt.ts';
import type { StepContext } from '../frame/context.ts';

/** An agent as a list shows it. */
export type Seen = { id: string; status: string; updatedAt: string | null };

type Snapshot = { at: number; live: ReadonlyMap<string, Seen> };

/** What is known of the agents of one connection, for all chunks of this process. */
type Known = {
  snapshot?: Promise<Snapshot>;
  /** Mark in the first prompt of an agent, or the files that it was given: neither ever changes. */
  marks: Map<string, { mark: string | null; files: readonly string[] }>;
};

const connections = new Map<string, Known>();

const knownOf = ({ connection }: StepContext): Known => {
  const { name, url } = connection('instance');
  const key = `${name} ${url}`;
  const known = connections.get(key) ?? { marks: new Map() };
  connections.set(key, known);
  return known;
};

const liveStatuses = ['waiting', 'running', 'awaiting_tool'] as const;

async function look(context: StepContext): Promise<Snapshot> {
  const at = Date.now();
  const live = new Map<string, Seen>();
  for (const status of liveStatuses)
    for await (const { data } of context.pages('instance.agents.list', { limit: 100, status }, { signal: context.signal }))
      for (const { id, status: is, updatedAt = null } of data) live.set(id, { id, status: is, updatedAt });
  return { at, live };
}

/**
 * The agents of the caller that have not ended: one list for all chunks of this process, not older than `maxAgeMs`. What is not in it has
 * ended, or was changing its status while the list was read.
 */
export async function liveAgents(context: StepContext, maxAgeMs: number): Promise<ReadonlyMap<string, Seen>> {
  const known = knownOf(context);
  const asked = known.snapshot;
  const latest = await asked?.catch(() => undefined);
  if (latest && Date.now() - latest.at <= maxAgeMs) return latest.live;
  // Another chunk has begun to look meanwhile.
  if (known.snapshot !== asked) return liveAgents(context, maxAgeMs);
  known.snapshot = look(context);
  return (await known.snapshot).live;
}

/** The newest agents of the caller: what is launched later stands above them in the list (assumption). */
export async function newestAgents(context: StepContext): Promise<string[]> {
  const { data } = await context.invoke('instance.agents.list', { limit: 100 }, { signal: context.signal });
  return data.map(({ id }) => id);
}

async function factsOf(context: StepContext, id: string): Promise<{ mark: string | null; files: readonly string[] }> {
  const { marks } = knownOf(context);
  const known = marks.get(id);
  if (known) return known;
  const { signal } = context;
  const { messages } = await context.invoke('instance.agents.conversation', { id }, { signal });
  const first = messages.find(({ type }) => type === 'user');
  const { activeFileIds } = first ? { activeFileIds: [] } : await context.invoke('instance.agents.get', { id }, { signal });
  const facts = { mark: markIn(first?.text ?? ''), files: activeFileIds ?? [] };
  // Of one that shows neither yet they may still come.
  if (first || facts.files.length > 0) marks.set(id, facts);
  return facts;
}

/** Agents that were launched with a mark, or with these files, among those above the ones that were there `before`. */
export async function launchedWith(
  context: StepContext,
  { mark, files }: { mark: string; files: readonly string[] },
  before: readonly string[],
): Promise<string[]> {
  const old = new Set(before);
  const found: string[] = [];
  for await (const { data } of context.pages('instance.agents.list', { limit: 100 }, { signal: context.signal })) {
    for (const { id } of data) {
      if (old.has(id)) continue;
      const facts = await factsOf(context, id);
      const isIt = facts.mark === mark || (facts.mark === null && files.length > 0 && files.every((file) => facts.files.includes(file)));
      if (isIt) found.push(id);
    }
    if (goesDown(data) && data.some(({ id }) => old.has(id))) break;
  }
  return found;
}
