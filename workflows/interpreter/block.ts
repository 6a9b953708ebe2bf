import { inside, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import { reacting } from '../../pipelines/ends.ts';
import type { LoopState, State } from './state.ts';

/** Steps that stand side by side: those in no loop, or those of one turn of a loop. */
export type Block = {
  plan: Plan;
  /** What the paths of its steps begin with: nothing, or `review[17].`. */
  path: string;
  steps: readonly PlanStep[];
  /** Of a turn: the loop that it belongs to. */
  of?: { block: Block; loop: PlanStep; index: number };
};

export const rootOf = (plan: Plan): Block => ({ plan, path: '', steps: inside(plan, undefined) });

export const turnOf = (block: Block, loop: PlanStep, index: number): Block => ({
  plan: block.plan,
  path: `${block.path}${loop.id}[${index}].`,
  steps: inside(block.plan, loop.id),
  of: { block, loop, index },
});

/** The plan's steps and every turn that is under way, each before the turns inside of it. */
export function blocksOf(state: State, plan: Plan): Block[] {
  const found = [rootOf(plan)];
  for (const block of found)
    for (const loop of block.steps)
      for (const index of Object.keys(state.steps[block.path + loop.id]?.loop?.open ?? {})) found.push(turnOf(block, loop, Number(index)));
  return found;
}

/** The step at a path such as `review[17].ask`, with its block. Fails where the plan has none: a path comes from a key that was sent. */
export function placeOf(plan: Plan, path: string): { block: Block; planned: PlanStep } {
  let block = rootOf(plan);
  const parts = path.split('.');
  for (const [at, part] of parts.entries()) {
    const [, id, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(part) ?? [];
    const planned = block.steps.find((step) => step.id === id);
    if (!planned) break;
    if (at === parts.length - 1) return { block, planned };
    block = turnOf(block, planned, Number(index));
  }
  throw new Error(`the plan has no step ${path}`);
}

/** The block in which what has this path is evaluated: a step, a turn such as `review[17]`, or nothing for the run itself. */
export function blockOf(plan: Plan, path: string): Block {
  if (path === '') return rootOf(plan);
  const [, loop, index] = /^(.*)\[(\d+)\]$/.exec(path) ?? [];
  if (loop === undefined) return placeOf(plan, path).block;
  const { block, planned } = placeOf(plan, loop);
  return turnOf(block, planned, Number(index));
}

/** The loop that a turn belongs to, as it stands. */
export const loopOf = (state: State, { of }: Block): LoopState | undefined => of && state.steps[of.block.path + of.loop.id]?.loop;

/**
 * True of a step that is not gone on with: the run is cancelled or has failed, or its turn has, or a loop around it, and it does not
 * stand under `finally` or react to the failure. Without the sources looked at no step begins.
 */
export function isLeft(state: State, block: Block, id: string): boolean {
  const { of, steps } = block;
  if (of) {
    const failed = loopOf(state, block)?.open[of.index]?.error !== undefined;
    if (failed && !reacting(steps).has(id)) return true;
    return state.steps[of.block.path + of.loop.id]?.error !== undefined || isLeft(state, of.block, of.loop.id);
  }
  if (!state.cancelled && state.error === undefined) return false;
  if (state.sources === undefined) return true;
  return state.cancelled ? !steps.find((step) => step.id === id)?.finally : !reacting(steps).has(id);
}

/** The same of what has this path: a step, a turn, or nothing for the run itself. */
export function isLeftAt(state: State, plan: Plan, path: string): boolean {
  if (path === '') return state.cancelled || state.error !== undefined;
  const step = path.replace(/\[\d+\]$/, '');
  const { block, planned } = placeOf(plan, step);
  return isLeft(state, block, planned.id);
}
