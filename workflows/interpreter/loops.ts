import { isKept } from '../../pipelines/kept.ts';
import { classesOf } from '../../pipelines/error-classes.ts';
import { mostOfShare } from '../../pipelines/share.ts';
import type { PlanStep } from '../../pipelines/plan.ts';
import type { Json } from '../../text/json.ts';
import type { RunError } from '../messages.ts';
import { bytesOf } from './bytes-of.ts';
import { blocksOf, isLeft, isThrough, openTurn, turnOf, type Block } from './block.ts';
import { end, fail, typeOf } from './ends.ts';
import { evaluateHere } from './evaluate-here.ts';
import { itemsAtHand } from './loop-items.ts';
import { hasRows, isOver } from './loop-rows.ts';
import { scopeOf } from './scope.ts';
import { keyOf, type Command, type LoopState, type State, type StepState, type World } from './state.ts';

/** Turns under way at a time where the file says nothing. */
const usualWindow = 8;

/** Bytes of their items, which the state holds until they have ended: the server takes 2 MiB where a run continues as new. */
const mostOpenBytes = 500_000;

/** Turns under way in all loops together, beside one of each: every event goes over the steps of all of them. */
const mostOpen = 200;

const openTurns = ({ steps }: State): number =>
  Object.values(steps).reduce((sum, { loop }) => sum + (loop ? Object.keys(loop.open).length : 0), 0);

/** Failures of turns that are remembered one by one; all are counted. */
const mostFailures = 20;

export const newLoop = (): LoopState => ({ next: 0, open: {}, done: 0, failed: 0, failures: [], rows: [], batches: 0 });

/** Ends turns whose steps have ended, begins those that there is room for, and ends loops that are through. True where there were some. */
export function turn(state: State, world: World): boolean {
  let some = false;
  for (const block of blocksOf(state, world.plan))
    for (const planned of block.steps) {
      const step = state.steps[block.path + planned.id];
      if (!step?.loop || step.status !== 'running') continue;
      if (endTurns(state, world, block, planned, step.loop)) some = true;
      if (beginTurns(state, block, planned, step)) some = true;
      if (endLoop(state, block, planned, step, world)) some = true;
    }
  return some;
}

function endTurns(state: State, world: World, block: Block, loop: PlanStep, of: LoopState): boolean {
  let some = false;
  for (const index of Object.keys(of.open).map(Number)) {
    const turn = turnOf(block, loop, index);
    if (!isThrough(state, turn)) continue;
    // What was left undone for a failure elsewhere is no turn that failed.
    const isWhole = !of.open[index]!.error && !isLeft(state, block, loop.id) && !state.steps[block.path + loop.id]!.error;
    const row = isWhole ? rowOf(state, world, turn) : undefined;
    const { error } = of.open[index]!;
    if (isWhole && !row && !error) continue;
    some = true;
    for (const path of Object.keys(state.steps)) if (path.startsWith(turn.path)) delete state.steps[path];
    delete of.open[index];
    if (row) {
      of.done++;
      if (hasRows(loop)) of.rows.push({ turn: index, row });
    } else if (error) {
      of.failed++;
      if (of.failures.length < mostFailures) of.failures.push({ index, error });
      if (!isTolerable(loop, of, error)) fail(state, world, { ...error, step: block.path + loop.id, message: failedWith(of, error) });
    }
  }
  return some;
}

/** What a turn gives; undefined where a worker has to make it, or where it fails: then the turn has an error. */
function rowOf(state: State, world: World, turn: Block): { [name: string]: Json } | undefined {
  const at = openTurn(state, turn)!;
  try {
    return at.row ?? (evaluateHere(turn.of!.step.each!.outputs, scopeOf(state, world, turn)) as { [name: string]: Json } | undefined);
  } catch (error) {
    at.error = {
      step: turn.path.slice(0, -1),
      type: typeOf(error),
      message: `outputs: ${error instanceof Error ? error.message : String(error)}`,
    };
    return undefined;
  }
}

/** Outputs of turns that a worker has to evaluate. */
export const outputsWanted = (state: State, { plan }: Pick<World, 'plan'>): Command[] =>
  blocksOf(state, plan).flatMap((turn): Command[] => {
    const at = openTurn(state, turn);
    if (!at || at.error || at.row || isLeft(state, turn.of!.block, turn.of!.step.id) || !isThrough(state, turn)) return [];
    return [{ do: 'evaluate', key: keyOf(turn.path.slice(0, -1), 'outputs'), tree: turn.of!.step.each!.outputs, each: true }];
  });

/** As many failed turns as the file tolerates: none, a count, or a share of all; never one of which nobody knows what it did. */
function isTolerable({ tolerate }: PlanStep, { failed, items }: LoopState, error: RunError): boolean {
  if (classesOf(error) === undefined) return false;
  const { share, count } = tolerate?.['failed'] ?? {};
  return failed <= (share === undefined ? (count ?? 0) : mostOfShare(share, items!));
}

const failedWith = ({ failed, items }: LoopState, { step, message }: RunError): string =>
  `${failed} of ${items} turns failed, the last one at ${step}: ${message}`;

function beginTurns(state: State, block: Block, planned: PlanStep, step: StepState): boolean {
  const loop = step.loop!;
  if (state.paused || step.error || isLeft(state, block, planned.id)) return false;
  const open = Object.keys(loop.open).length;
  const room = Math.min((planned.window ?? usualWindow) - open, Math.max(open === 0 ? 1 : 0, mostOpen - openTurns(state)));
  const atHand = itemsAtHand(step, Math.max(0, room));
  // Of a list that is not in the run store all is short.
  const items = isKept(step.input) ? withinBytes(atHand, state, open === 0) : atHand;
  for (const item of items) {
    const turn = turnOf(block, planned, loop.next);
    loop.open[loop.next] = { item };
    loop.next += 1;
    for (const { id } of turn.steps) state.steps[turn.path + id] = { status: 'waiting' };
  }
  return items.length > 0;
}

/** Items from the first on that there is room for beside those of turns under way. `atLeastOne`: without it the loop would never go on. */
function withinBytes(items: Json[], state: State, atLeastOne: boolean): Json[] {
  let bytes = Object.values(state.steps).reduce(
    (sum, { loop }) => sum + bytesOf(Object.values(loop?.open ?? {}).map(({ item }) => item)),
    0,
  );
  const end = items.findIndex((item, at) => (bytes += bytesOf(item)) > mostOpenBytes && !(atLeastOne && at === 0));
  return end === -1 ? items : items.slice(0, end);
}

/** A loop without rows ends here; of another one the table is made first. One that is left has turns that nobody went on with. */
function endLoop(state: State, block: Block, planned: PlanStep, step: StepState, { now }: World): boolean {
  if (hasRows(planned) || isLeft(state, block, planned.id) || !isOver(step)) return false;
  const { items, done, failed } = step.loop!;
  step.output = { count: items!, done, failed };
  end(step, 'done', now);
  return true;
}
