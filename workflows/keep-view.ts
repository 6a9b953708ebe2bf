import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import { keepViewActivity } from '../pipelines/plan.ts';
import type { RunView } from './messages.ts';

/**
 * Has a worker write down how the run ended. It is a record beside the history, which says the same: a store that cannot be
 * written changes nothing. A local activity, because it costs the run no round through the server.
 */
export async function keepView(store: string, view: RunView): Promise<void> {
  const { runId, historyLength } = workflowInfo();
  const keep = proxyLocalActivities<Record<string, (input: unknown) => Promise<void>>>({
    scheduleToCloseTimeout: 10_000,
    retry: { maximumAttempts: 2 },
  })[keepViewActivity]!;
  const kept = { view, runId, endedAt: new Date().toISOString(), historyEvents: historyLength };
  await keep({ store, kept }).catch(() => undefined);
}
