import { goesDown } from '../../contracts/instance/agents.ts';
import { markIn } from '../../pipelines/steps/agent/prompt.ts';
import type { StepContext } from '../frame/context.ts';
import { isLaunch, type Launch, type LaunchFacts } from './launch-facts.ts';

/** An agent as a list shows it. */
export type Seen = { id: string; status: string; updatedAt: string | null };

type Snapshot = { at: number; live: ReadonlyMap<string, Seen> };

/** What is known of the agents of one connection, for all chunks of this process. */
type Known = {
  snapshot?: Promise<Snapshot>;
  /** What of them never changes. */
  marks: Map<string, LaunchFacts>;
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

async function factsOf(context: StepContext, id: string): Promise<LaunchFacts> {
  const { marks } = knownOf(context);
  const known = marks.get(id);
  if (known) return known;
  const { signal } = context;
  const { messages } = await context.invoke('instance.agents.conversation', { id }, { signal });
  const said = messages.find(({ type }) => type === 'user')?.text ?? null;
  const mark = said === null ? null : markIn(said);
  // A mark says all: only without one it matters what else the agent was launched with.
  const { workflowId, activeFileIds } = mark === null ? await context.invoke('instance.agents.get', { id }, { signal }) : {};
  const facts = { mark, said: said !== null, workflow: workflowId ?? null, files: activeFileIds ?? [] };
  // Of one that shows nothing of them yet they may still come.
  if (mark !== null || facts.files.length > 0 || (facts.said && facts.workflow === null)) marks.set(id, facts);
  return facts;
}

/**
 * Agents above the ones that were there `before`: those of which it shows that they come of this launch, and those that may, because
 * nothing that it shows tells them from others.
 */
export async function launchedBy(
  context: StepContext,
  launch: Launch,
  before: readonly string[],
): Promise<{ certain: string[]; possible: string[] }> {
  const old = new Set(before);
  const found = { certain: [] as string[], possible: [] as string[] };
  for await (const { data } of context.pages('instance.agents.list', { limit: 100 }, { signal: context.signal })) {
    for (const { id } of data) {
      if (old.has(id)) continue;
      const verdict = isLaunch(await factsOf(context, id), launch);
      if (verdict !== 'no') found[verdict].push(id);
    }
    if (goesDown(data) && data.some(({ id }) => old.has(id))) break;
  }
  return found;
}
