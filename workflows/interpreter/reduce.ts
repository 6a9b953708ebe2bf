import type { Plan, Reuse, RunRef } from '../../pipelines/plan.ts';
import { apply } from './apply.ts';
import { fail, typeOf } from './ends.ts';
import { proceed } from './proceed.ts';
import type { Command, Event, State } from './state.ts';

export type World = {
  plan: Plan;
  run: RunRef;
  now: number;
  /** What an earlier run has completed. */
  reuse?: Reuse;
};

/**
 * The interpreter: one event in, commands out. It changes the state that it is given and touches nothing else, so
 * that a run is the same however often it is replayed. Knows kinds, never step types.
 */
export function reduce(state: State, event: Event, world: World, draining: boolean): Command[] {
  try {
    apply(state, event, world);
    return draining ? [] : proceed(state, world);
  } catch (error) {
    // Nothing may escape into the workflow task: it would be retried for ever.
    fail(state, world, { type: typeOf(error), message: String(error instanceof Error ? error.message : error) });
    return [];
  }
}

/** Has everything ended that will? */
export const isOver = (state: State): boolean =>
  state.inflight.length === 0 &&
  (state.error !== undefined || state.cancelled || Object.values(state.steps).every((step) => step.status === 'done'));
