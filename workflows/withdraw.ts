import type { CancellationScope } from '@temporalio/workflow';
import type { Plan } from '../pipelines/plan.ts';
import { isLeftAt } from './interpreter/block.ts';
import { parseKey, type State } from './interpreter/state.ts';
import { isStopped } from './interpreter/stopped.ts';

/**
 * Gives up what need not end: waits when the run drains, fails or is cancelled, the timer of a gate that was decided, runs of
 * pipelines that are not gone on with, all work under way when the run is cancelled, but for what stands under `finally`, and chunks
 * that go on later or not at all.
 */
export function withdraw(scopes: Map<string, CancellationScope>, state: State, plan: Plan, draining: boolean): void {
  for (const [key, scope] of scopes) {
    const { step, phase } = parseKey(key);
    const decided = phase === 'expire' && state.steps[step]?.status !== 'approval';
    const waits = phase === 'check' || phase === 'expire' || phase === 'retry';
    const left = phase !== 'settle' && (waits || phase === 'child' || state.cancelled) && isLeftAt(state, plan, step);
    if (decided || left || (draining && waits) || isStopped(state, plan, key, draining)) scope.cancel();
  }
}
