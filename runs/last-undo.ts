import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { createRunStore } from '../store/create-run-store.ts';
import type { FormerRun } from '../pipelines/former-run.ts';
import { readKeptView } from '../store/kept-view.ts';
import { undoRuns } from '../store/undo-runs.ts';
import { endStates } from './end-states.ts';
import type { StoredPlace } from './find.ts';

/** A run that takes another one back, and how it ended. */
export type LastUndo = { run: string; state: 'running' | 'done' | 'failed' | 'cancelled' | 'refused' };

/** The last run that takes a run back. Of one whose end nobody wrote down, because its workflow was terminated, the cluster is asked. */
export async function lastUndo(
  { client }: Pick<StoredPlace, 'client'>,
  of: Pick<FormerRun, 'run' | 'store'>,
): Promise<LastUndo | undefined> {
  const last = undoRuns(of).at(-1);
  if (!last) return undefined;
  const kept = await readKeptView<{ state: LastUndo['state'] }>(createRunStore(last.store));
  if (kept || !client) return { run: last.run, state: kept?.view.state ?? 'running' };
  // What the cluster has forgotten ended without its worker.
  return {
    run: last.run,
    state: await stateOfUndo(client, last.run).then(
      (state) => state ?? 'cancelled',
      () => 'running' as const,
    ),
  };
}

/** What takes a run back is a workflow of the same id; undefined where there is none. */
export async function stateOfUndo(client: Client, run: string): Promise<LastUndo['state'] | undefined> {
  try {
    const { status } = await client.workflow.getHandle(run).describe();
    return (endStates[status.name] ?? 'running') as LastUndo['state'];
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
