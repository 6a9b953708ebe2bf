import type { RunError } from '../messages.ts';
import type { World, State, StepState } from './state.ts';

export const open = (step: StepState): boolean => step.status === 'waiting' || step.status === 'running' || step.status === 'approval';
export const iso = (ms: number): string => new Date(ms).toISOString();

export function end(step: StepState, status: StepState['status'], now: number): void {
  step.status = status;
  step.endedAt = now;
}

/** The first error is the run's; steps under way are failed with it, those not begun are skipped. */
export function fail(state: State, world: World, error: RunError): void {
  state.error ??= error;
  const culprit = error.step === undefined ? undefined : state.steps[error.step];
  if (culprit && open(culprit)) end(culprit, 'failed', world.now);
  for (const step of Object.values(state.steps))
    if (step.status === 'waiting' || step.status === 'approval') end(step, 'skipped', world.now);
}

/** An expression's error says its kind (`expression-result` …) as `type`. */
export function typeOf(error: unknown): string {
  if (error instanceof Error && 'type' in error && typeof error.type === 'string') return error.type;
  return error instanceof Error ? error.name : 'Error';
}
