import { undoRunId } from '../../pipelines/undo-ids.ts';
import { undoPlan } from '../../pipelines/undo.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { RunError } from '../messages.ts';
import { childOf, isOpen } from './children.ts';
import type { Command, State, World } from './state.ts';

/** The plan of what takes a run back as it stands; undefined where there is nothing to take back. */
export const undoOf = ({ steps }: State, { plan, run }: Pick<World, 'plan' | 'run'>): Plan | undefined =>
  undoPlan(plan, { run: run.id, ended: Object.entries(steps).map(([id, step]) => ({ id, ...step })) });

/** Has a failed run taken back where its file says so, once nothing of it is under way any more. `over`: all its steps have ended. */
export function beginUndo(state: State, world: World, over: boolean): void {
  const { plan, run, now } = world;
  if (!plan.undo?.onFailure || !state.error || state.cancelled || state.undo || !over || state.inflight.length > 0) return;
  if (undoOf(state, world)) state.undo = { run: undoRunId(run.id, 1), since: now, state: 'running', asks: [] };
}

/** What is sent for the run that takes this one back: until it has ended, or has been cancelled with this one. */
export function undoWanted({ undo, cancelled, paused }: State, settling: boolean): Command[] {
  if (!undo || !isOpen(undo) || settling !== cancelled || (paused && !undo.begun)) return [];
  return [childOf('', undo.begun && undo)];
}

/** The run that was to take this one back could not be begun, or ended otherwise than done. */
export function undoFailed(state: State, error: RunError): void {
  const { undo } = state;
  if (!undo) return;
  if (isOpen(undo)) undo.state = 'failed';
  undo.report ??= { step: '', run: undo.run, state: undo.state, asks: [] };
  undo.report.error ??= error;
}
