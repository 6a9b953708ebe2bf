import pLimit from 'p-limit';
import type { Stack } from '../support/stack.ts';

/** How often is looked. */
const lookMs = 10_000;

/**
 * A signal that comes when nothing of these workflows has moved for `stillMs`: neither an event nor an attempt of an activity. A bound on
 * the whole time would be one on the speed of the machine.
 */
export function onceStill(stack: Stack, workflowIds: readonly string[], stillMs: number): { signal: AbortSignal } & Disposable {
  const still = new AbortController();
  const seen = new Map<string, string>();
  let movedAt = performance.now();
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const marks = await pLimit(16).map(workflowIds, (id) => markOf(stack, id).catch(() => undefined));
    for (const [at, mark] of marks.entries()) {
      // What could not be asked is not known to stand still.
      if (mark === undefined || seen.get(workflowIds[at]!) !== mark) movedAt = performance.now();
      if (mark !== undefined) seen.set(workflowIds[at]!, mark);
    }
    looking = false;
    if (performance.now() - movedAt > stillMs) still.abort();
  };
  const timer = setInterval(() => void look(), lookMs);
  return { signal: still.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

async function markOf(stack: Stack, id: string): Promise<string> {
  const { status, historyLength, raw } = await stack.client.workflow.getHandle(id).describe();
  const attempts = (raw.pendingActivities ?? []).map(({ activityId, attempt }) => `${activityId}:${attempt}`);
  return JSON.stringify([status.name, historyLength, attempts]);
}
