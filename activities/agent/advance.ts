import { ApiError } from '../../client/errors.ts';
import { hasEnded } from '../../contracts/instance/agent-shapes.ts';
import type { StepContext } from '../frame/context.ts';
import { finish } from './finish.ts';
import { settleFollowUp } from './follow.ts';
import type { NamedItem } from './items.ts';
import { launch, launchedIn } from './launch.ts';
import type { Fate, Pass } from './pass.ts';
import { readyFiles } from './prepare-files.ts';
import { watch } from './watch.ts';

/** Launches the agent of an item once its files are ready and its cost is set aside; what it might cost beyond the caps ends it. */
async function begin(item: NamedItem, pass: Pass, own: StepContext): Promise<Fate | undefined> {
  const { input, context, caps } = pass;
  if (!pass.mayLaunch()) return undefined;
  const capped: Fate = { status: 'capped', reason: 'not launched: what it might cost is more than cap leaves' };
  if (input.cap?.item === 0) return capped;
  const files = await readyFiles(item.item, context);
  if (!files) return undefined;
  const verdict = caps?.reserve(item.key) ?? 'reserved';
  if (verdict === 'never') return capped;
  if (verdict === 'reserved') await launch(item, files, own, pass);
  return undefined;
}

/** Takes an item as far as it can go now; undefined while it has not ended. `own`: with a journal of the item's own. */
export async function advance(item: NamedItem, into: string, pass: Pass, own: StepContext): Promise<Fate | undefined> {
  const { context } = pass;
  const id = launchedIn(own.intents());
  if (id === undefined) return begin(item, pass, own);
  await settleFollowUp(id, item, pass, own);
  const seen = (await pass.live()).get(id);
  if (seen) {
    await watch(seen, pass, own);
    return undefined;
  }
  try {
    const agent = await context.invoke('instance.agents.get', { id }, { signal: context.signal });
    if (hasEnded(agent)) return await finish(agent, item, into, pass, own);
    await watch({ id, status: agent.status, updatedAt: agent.updatedAt ?? null }, pass, own);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      return { status: 'failed', reason: `agent ${id} is gone: somebody has deleted it` };
    throw error;
  }
}
