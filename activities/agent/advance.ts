import { ApiError } from '../../client/errors.ts';
import { hasEnded } from '../../contracts/instance/agent-shapes.ts';
import type { StepContext } from '../frame/context.ts';
import { sayCap } from './caps.ts';
import { finish } from './finish.ts';
import { settleFollowUp } from './follow.ts';
import type { NamedItem } from './items.ts';
import { launch, launchedIn } from './launch.ts';
import type { Fate, Pass } from './pass.ts';
import { readyFiles } from './prepare-files.ts';
import { spentIn } from './spent.ts';
import { watch } from './watch.ts';

/** Launches the agent of an item once its cost is set aside and its files are ready; what it might cost beyond the caps ends it, and none of its files is sent. */
async function begin(item: NamedItem, pass: Pass, own: StepContext): Promise<Fate | undefined> {
  const { input, context, caps } = pass;
  if (!pass.mayLaunch()) return undefined;
  const capped = (why: string): Fate => ({ status: 'capped', reason: `not launched: ${why}` });
  if (input.cap?.item === 0) return capped('cap.item is 0');
  await context.held();
  const verdict = caps?.reserve(item.key) ?? 'reserved';
  if (verdict === 'never') return capped(`what it might cost (cap.item ${input.cap?.item}) is more than ${sayCap(input.cap)} leaves`);
  const files = verdict === 'reserved' ? await readyFiles(item.item, input.stallSeconds, context) : undefined;
  if (files) await launch(item, files, own, pass);
  return undefined;
}

/** Observes the agent of an item, or sees to its end. */
async function goOn(id: string, item: NamedItem, into: string, pass: Pass, own: StepContext): Promise<Fate | undefined> {
  const { context } = pass;
  // What the service shows now may be of the turn before.
  if (await settleFollowUp(id, item, pass, own)) return undefined;
  const seen = (await pass.live()).get(id);
  if (seen) {
    await watch(seen, pass, own);
    return undefined;
  }
  const at = Date.now();
  const agent = await context.invoke('instance.agents.get', { id }, { signal: context.signal });
  if (hasEnded(agent)) return finish(agent, item, into, pass, own);
  await watch({ id, status: agent.status, updatedAt: agent.updatedAt ?? null, at }, pass, own);
  return undefined;
}

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

async function isThere(id: string, { invoke, signal }: StepContext): Promise<boolean> {
  try {
    await invoke('instance.agents.get', { id }, { signal });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Takes an item as far as it can go now; undefined while it has not ended. `own`: with a journal of the item's own. */
export async function advance(item: NamedItem, into: string, pass: Pass, own: StepContext): Promise<Fate | undefined> {
  const id = launchedIn(own.intents());
  if (id === undefined) return begin(item, pass, own);
  try {
    return await goOn(id, item, into, pass, own);
  } catch (error) {
    // What is missing may be an artifact or a sub-agent: then the agent is there, and a rerun goes on with it.
    if (!isMissing(error) || (await isThere(id, pass.context))) throw error;
    return {
      status: 'failed',
      reason: `agent ${id} is gone: somebody has deleted it`,
      result: { agent: id, ...spentIn(own.intents()) },
    };
  }
}
