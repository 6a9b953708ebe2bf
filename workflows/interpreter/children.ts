import { hasEnd } from '../../pipelines/ends.ts';
import { childRunId } from '../../pipelines/run-start.ts';
import type { PlanStep } from '../../pipelines/plan.ts';
import type { ChildReport } from '../messages.ts';
import { keyOf, type ChildState, type Command, type State, type StepState, type World } from './state.ts';

/** True of the run of a pipeline that has not ended, as far as it is known. */
export const isOpen = (child: ChildState | undefined): boolean => child !== undefined && !hasEnd(child.state);

/** The run that the step at a path is; of the run itself, whose path is nothing, the one that takes it back. */
export const childAt = ({ steps, undo }: State, path: string): ChildState | undefined => (path === '' ? undo : steps[path]?.child);

/** The run of this try of a step: its id follows from the run above it and from its path, so that it is never begun twice. */
export const newChild = ({ retries }: StepState, path: string, { run, now }: World): ChildState => ({
  run: childRunId(run.id, path, (retries?.begun ?? 0) + 1),
  since: now,
  state: 'running',
  asks: [],
});

export const childOf = (path: string, child: ChildState | undefined): Command => ({
  do: 'child',
  key: keyOf(path, 'child'),
  step: path,
  attach: child !== undefined,
});

/** Takes what a run says of itself; of one that has ended, or of another try, nothing more counts. */
export function heard(state: State, report: ChildReport): void {
  const child = childAt(state, report.step);
  if (child?.run !== report.run || !isOpen(child)) return;
  child.state = report.state;
  child.asks = report.asks;
  if (!isOpen(child)) child.report = report;
}

/** Ends the wait for a run: what it gave is the result of its step. It was taken over where the run has done nothing itself. */
export function takeChild(step: StepState, planned: PlanStep, { reuse }: World): void {
  const { child } = step;
  const kept = planned.in === undefined && reuse && Object.hasOwn(reuse, planned.id) ? reuse[planned.id] : undefined;
  if (child?.report?.reused && typeof kept === 'object' && kept.hash === step.inputHash) step.reusedFrom = kept.run;
  forgetChild(step);
}

/** Drops what is no longer needed of a run: of one that could not begin all of it. */
export function forgetChild(step: StepState | undefined): void {
  if (!step?.child) return;
  if (isOpen(step.child)) delete step.child;
  else delete step.child.report;
}
