import { inside, type Plan, type PlanStep } from '../../pipelines/plan.ts';
import type { FailureName } from '../../pipelines/error-classes.ts';
import { hasEnd, reacting } from '../../pipelines/ends.ts';
import type { RunError } from '../messages.ts';
import { isOpen } from './children.ts';
import { parseKey, type LoopState, type State } from './state.ts';

type OpenTurn = LoopState['open'][string];

/** Steps that stand side by side: those in no loop, those of one turn of a loop, or those that are done about a failure of a step. */
export type Block = {
  plan: Plan;
  /** What the paths of its steps begin with: nothing, `review[17].`, or `rows[transient].`. */
  path: string;
  steps: readonly PlanStep[];
  /** The loop whose turn it is, and which one; or the step whose failures of this class it is for. */
  of?: { block: Block; step: PlanStep } & ({ index: number; on?: undefined } | { on: FailureName; index?: undefined });
};

export const rootOf = (plan: Plan): Block => ({ plan, path: '', steps: inside(plan, undefined) });

export const turnOf = (block: Block, loop: PlanStep, index: number): Block => ({
  plan: block.plan,
  path: `${block.path}${loop.id}[${index}].`,
  steps: inside(block.plan, loop.id),
  of: { block, step: loop, index },
});

/** What is done about failures of this class of a step. */
export const reactionOf = (block: Block, step: PlanStep, on: FailureName): Block => ({
  plan: block.plan,
  path: `${block.path}${step.id}[${on}].`,
  steps: inside(block.plan, step.id, on),
  of: { block, step, on },
});

/** The plan's steps, every turn that is under way, and what is done about failures; each before what stands inside of it. */
export function blocksOf(state: State, plan: Plan): Block[] {
  const found = [rootOf(plan)];
  for (const block of found)
    for (const step of block.steps) {
      const { loop, reaction } = state.steps[block.path + step.id] ?? {};
      for (const index of Object.keys(loop?.open ?? {})) found.push(turnOf(block, step, Number(index)));
      if (reaction) found.push(reactionOf(block, step, reaction.on));
    }
  return found;
}

/** The step at a path such as `review[17].ask`, with its block. Fails where the plan has none: a path comes from a key that was sent. */
export function placeOf(plan: Plan, path: string): { block: Block; planned: PlanStep } {
  let block = rootOf(plan);
  const parts = path.split('.');
  for (const [at, part] of parts.entries()) {
    const [, id, index] = /^(\w+)(?:\[(\w+)\])?$/.exec(part) ?? [];
    const planned = block.steps.find((step) => step.id === id);
    if (!planned) break;
    if (at === parts.length - 1) return { block, planned };
    block = /^\d+$/.test(index!) ? turnOf(block, planned, Number(index)) : reactionOf(block, planned, index as FailureName);
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

/** A turn of a loop as it stands, while it is under way. */
export const openTurn = (state: State, { of }: Block): OpenTurn | undefined =>
  of?.index === undefined ? undefined : state.steps[of.block.path + of.step.id]?.loop?.open[of.index];

/** What keeps the first failure of a block: a turn, or what is done about the failure of a step; undefined of the run itself. */
export const keeperOf = (state: State, block: Block): { error?: RunError } | undefined =>
  block.of?.on === undefined ? openTurn(state, block) : state.steps[block.of.block.path + block.of.step.id]?.reaction;

/** All steps of a block have ended, and nothing of them is under way any more: the timer of a gate that was decided may be. */
export const isThrough = ({ steps, inflight }: State, { path, steps: of }: Block): boolean =>
  of.every(({ id }) => hasEnd(steps[path + id]!.status)) && !inflight.some((key) => key.startsWith(path));

/** True while anything that does not stand under `finally` is under way: what was sent, runs of pipelines, chunks that are asked about. */
export function isUnderWay(state: State, plan: Plan): boolean {
  const last = new Set(plan.steps.flatMap(({ id, finally: final }) => (final ? [id] : [])));
  const counts = (path: string): boolean => !last.has(/^\w*/.exec(path)![0]);
  return (
    state.inflight.some((key) => counts(parseKey(key).step)) ||
    Object.entries(state.steps).some(([path, { child, sweep }]) => counts(path) && (isOpen(child) || (sweep?.unsettled?.length ?? 0) > 0))
  );
}

/**
 * True of a step that is not gone on with: the run is cancelled or has failed, or its turn has, or a loop around it, and it does not
 * stand under `finally` or react to failures. What reacts goes on in every block that has begun. Without the sources looked at no step
 * begins.
 */
export const isLeft = (state: State, block: Block, id: string): boolean =>
  isGivenUp(state, block, id) || (hasFailed(state, block) && !reacting(block.steps).has(id));

/** True of a step that is not gone on with even where it reacts to failures. */
function isGivenUp(state: State, { of, steps }: Block, id: string): boolean {
  if (of) return isGivenUp(state, of.block, of.step.id);
  if (!state.cancelled && state.error === undefined) return false;
  return state.sources === undefined || (state.cancelled && !steps.find((step) => step.id === id)?.finally);
}

function hasFailed(state: State, block: Block): boolean {
  const { of, plan } = block;
  // What does not stand on a step that could not be taken back is taken back all the same.
  if (!of) return state.error !== undefined && !state.cancelled && plan.undoes === undefined;
  // What is done about a failure goes on although its step has failed.
  const around = of.on === undefined && state.steps[of.block.path + of.step.id]?.error !== undefined;
  return around || keeperOf(state, block)?.error !== undefined || isLeft(state, of.block, of.step.id);
}

/** The same of what has this path: a step, a turn, or nothing for the run itself, which goes on until it is cancelled. */
export function isLeftAt(state: State, plan: Plan, path: string): boolean {
  if (path === '') return state.cancelled;
  const step = path.replace(/\[\d+\]$/, '');
  const { block, planned } = placeOf(plan, step);
  return isLeft(state, block, planned.id);
}
