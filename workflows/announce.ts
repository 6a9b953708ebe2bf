import { upsertMemo } from '@temporalio/workflow';
import type { RunMemo, RunView } from './messages.ts';

/** What the status of a workflow does not say. */
const ownStates: ReadonlySet<RunView['state']> = new Set(['running', 'queued', 'paused', 'approval', 'refused']);

/** Says in the memo, where lists of runs read it, that a run waits for a person, is paused, or was refused; what was said last is not said again. */
export function announce({ state, steps }: RunView, last: string): string {
  const asks = steps.filter(({ status }) => status === 'approval').map(({ id }) => id);
  const said = JSON.stringify([state, asks]);
  const first = last === '' && state === 'running' && asks.length === 0;
  if (said !== last && !first && ownStates.has(state)) upsertMemo({ state, asks } satisfies Pick<RunMemo, 'state' | 'asks'>);
  return said;
}
