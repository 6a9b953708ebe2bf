import { markIn } from '../../pipelines/steps/agent/prompt.ts';
import type { StepContext } from '../frame/context.ts';
import { isLaunch, type Launch, type LaunchFacts } from './launch-facts.ts';
import { createLaunchedSince } from './launched-since.ts';

/** An agent as the service shows it. `at`: when it was asked, epoch milliseconds. */
export type Seen = { id: string; status: string; updatedAt: string | null; at: number };

type Snapshot = { at: number; live: ReadonlyMap<string, Seen> };

/** What is known of the agents of one connection, for all chunks of this process. */
type Known = {
  snapshot?: Promise<Snapshot>;
  /** What of them never changes, of those that were launched or looked at last. */
  marks: Map<string, LaunchFacts>;
  /** Facts that are being asked for. */
  asked: Map<string, Promise<LaunchFacts>>;
  launchedSince: ReturnType<typeof createLaunchedSince>;
};

/** Agents whose marks are kept: some hundred bytes each. */
const mostKept = 50_000;

const connections = new Map<string, Known>();

const knownOf = ({ connection }: StepContext): Known => {
  const { name, url } = connection('instance');
  const key = `${name} ${url}`;
  const known = connections.get(key) ?? { marks: new Map(), asked: new Map(), launchedSince: createLaunchedSince() };
  connections.set(key, known);
  return known;
};

function keepFacts({ marks }: Known, id: string, facts: LaunchFacts): void {
  marks.set(id, facts);
  if (marks.size > mostKept) marks.delete(marks.keys().next().value!);
}

/**
 * Notes whose agent it is that a launch was answered with. Without it each launch whose answer is lost would ask for the conversations of
 * all that were launched since: where a service that has no more breath loses many at once, that asks the more of it.
 */
export function noteLaunched(context: StepContext, id: string, { mark, hasPrompt, workflow, files }: Launch): void {
  keepFacts(knownOf(context), id, { mark, said: hasPrompt, workflow, files });
}

const liveStatuses = ['waiting', 'running', 'awaiting_tool'] as const;

async function look(context: StepContext): Promise<Snapshot> {
  const at = Date.now();
  const live = new Map<string, Seen>();
  for (const status of liveStatuses)
    for await (const { data } of context.pages('instance.agents.list', { limit: 100, status }, { signal: context.signal }))
      for (const { id, status: is, updatedAt = null } of data) live.set(id, { id, status: is, updatedAt, at });
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
  const all = knownOf(context);
  // Another look-up asks for the same: what it learns counts where it never changes.
  const others = all.asked.get(id);
  if (others) await others.catch(() => undefined);
  const known = all.marks.get(id);
  if (known) return known;
  const asked = askFacts(context, id);
  all.asked.set(id, asked);
  try {
    return await asked;
  } finally {
    if (all.asked.get(id) === asked) all.asked.delete(id);
  }
}

async function askFacts(context: StepContext, id: string): Promise<LaunchFacts> {
  const { signal } = context;
  const { messages } = await context.invoke('instance.agents.conversation', { id }, { signal });
  const said = messages.find(({ type }) => type === 'user')?.text ?? null;
  const mark = said === null ? null : markIn(said);
  // A mark says all: only without one it matters what else the agent was launched with.
  const { workflowId, activeFileIds } = mark === null ? await context.invoke('instance.agents.get', { id }, { signal }) : {};
  const facts = { mark, said: said !== null, workflow: workflowId ?? null, files: activeFileIds ?? [] };
  // Of one that shows nothing of them yet they may still come.
  if (mark !== null || facts.files.length > 0 || (facts.said && facts.workflow === null)) keepFacts(knownOf(context), id, facts);
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
  const found = { certain: [] as string[], possible: [] as string[] };
  for (const id of await knownOf(context).launchedSince(context, before)) {
    const verdict = isLaunch(await factsOf(context, id), launch);
    if (verdict !== 'no') found[verdict].push(id);
  }
  return found;
}
