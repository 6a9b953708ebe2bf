import { heldBy, type LockAnswer } from '../../pipelines/lock.ts';
import type { Json } from '../../text/json.ts';
import { finishedOf, partCount, type SweepPrepared } from '../../pipelines/phases.ts';
import type { ItemsPage } from '../../pipelines/plan.ts';
import type { PauseRequest, RunError } from '../messages.ts';
import { forgetChild, heard, takeChild } from './children.ts';
import { blockOf, isLeft, isLeftAt, openTurn, placeOf } from './block.ts';
import { end, fail, iso, open } from './ends.ts';
import { becomes, beginRetry, giveUpRetry, isContinued } from './retries.ts';
import { takePage } from './loop-items.ts';
import { takeKept } from './loop-rows.ts';
import { failingStep } from './evaluate-here.ts';
import { goOn, takeInput, takeWhen } from './proceed.ts';
import { sendAgain } from './stopped.ts';
import type { World } from './state.ts';
import { undoFailed } from './undo.ts';
import { parseKey, type DecideEvent, type Event, type State, type StepState } from './state.ts';

/** Changes the state by one event. The end of a command that is not under way changes nothing. */
export function apply(state: State, event: Event, world: World): void {
  if ('key' in event) {
    if (!state.inflight.includes(event.key)) return;
    state.inflight = state.inflight.filter((key) => key !== event.key);
  }
  switch (event.is) {
    case 'start':
      return start(state, world);
    case 'room':
      return;
    case 'queued':
      state.queued = { key: event.for, since: iso(world.now) };
      return;
    case 'answered':
      return answered(state, event.answer, world);
    case 'refused':
      return fail(state, world, event.error);
    case 'withdrawn':
      return unsettle(state, event.key, world);
    case 'pause':
      return pause(state, event.request, world);
    case 'resume':
      return resume(state, event.with, world);
    case 'report':
      return heard(state, event.report);
    case 'cancel':
      // Whoever is to hold its key waits: half taken back it would be of use to nobody.
      if (state.displaced && state.undo) return;
      state.cancelled = true;
      // What stands under `finally` would wait for a person who has no more to say.
      resume(state, undefined, world);
      if (!state.undo?.begun) delete state.undo;
      for (const [path, step] of Object.entries(state.steps))
        if (open(step) && isLeftAt(state, world.plan, path)) {
          giveUpRetry(step);
          end(step, 'cancelled', world.now);
        }
      return;
    case 'decide':
      return decide(state, event, world);
    case 'failed':
      return failed(state, event.key, event.error, world);
    case 'ended':
      return ended(state, event.key, event.result, world);
  }
}

function start(state: State, { plan }: World): void {
  if (plan.sources.length === 0) state.sources ??= {};
}

/** A pause of its own that a person asks for counts more than that of the run above. */
function pause(state: State, request: PauseRequest, { now }: World): void {
  if (state.paused && (state.paused.with === undefined || request.with !== undefined)) return;
  resume(state, undefined, { now });
  state.paused = { ...request, at: iso(now) };
  (state.pauses ??= []).push({ ...request, from: iso(now) });
}

/** `of`: the run above that goes on; it ends no pause but its own. */
function resume(state: State, of: string | undefined, { now }: Pick<World, 'now'>): void {
  if (!state.paused || (of !== undefined && state.paused.with !== of)) return;
  const last = state.pauses?.at(-1);
  if (last) last.to = iso(now);
  delete state.paused;
}

/** Of a run that waits for no key, or not any more, an answer changes nothing but why it is cancelled: it may come twice. */
function answered(state: State, answer: LockAnswer, world: World): void {
  const { queued } = state;
  if (answer.is === 'displaced') {
    state.displaced ??= answer.by;
    return;
  }
  if (!queued || state.cancelled || state.error) return;
  if (answer.is === 'refused') {
    state.refused = true;
    return fail(state, world, {
      type: 'Held',
      message: `${heldBy(queued.key, answer.holder)}: one run at a time holds it, and nothing of this one was done`,
      details: { remedy: `wait for it (portolan status ${answer.holder.run}), or end it (portolan cancel ${answer.holder.run})` },
    });
  }
  delete state.queued;
  start(state, world);
}

function decide(state: State, event: DecideEvent, world: World): void {
  const { decision } = event;
  const step = state.steps[decision.step];
  if (step?.status !== 'approval') return;
  event.taken = true;
  step.decision = { ...decision, at: iso(world.now) };
  if (decision.approve) {
    step.output = { approved: true, who: decision.who, note: decision.note, at: iso(world.now) };
    end(step, 'done', world.now);
  } else {
    fail(state, world, { step: decision.step, type: 'Rejected', message: `${decision.who} rejected: ${decision.note || 'no note'}` });
  }
}

function failed(state: State, key: string, error: RunError, world: World): void {
  const { step, phase } = parseKey(key);
  if (phase === 'child' && step === '') return undoFailed(state, error);
  if (phase === 'settle' || (state.cancelled && isLeftAt(state, world.plan, step))) return unsettle(state, key, world);
  const block = phase === 'outputs' ? blockOf(world.plan, step) : undefined;
  const turn = block && openTurn(state, block);
  if (turn) turn.error ??= { ...error, step, message: `outputs: ${error.message}` };
  // A turn that was given up with its loop gives nothing any more.
  else if (phase === 'outputs' && step !== '') return;
  else if (phase === 'inspect' || phase === 'outputs') fail(state, world, error);
  else {
    const field = phase === 'input' ? 'with' : phase === 'when' ? phase : undefined;
    fail(state, world, { ...error, step, ...(field ? { message: `${field}: ${error.message}` } : {}) });
  }
  if (phase === 'child') forgetChild(state.steps[step]);
  unsettle(state, key, world);
}

/**
 * A chunk that ended without its acknowledgement is sent again, where its step is tried again, or asked about once; of an ask that failed
 * nothing is known.
 */
function unsettle(state: State, key: string, { plan }: World): void {
  const { step: path, phase, chunk } = parseKey(key);
  const step = state.steps[path];
  const { sweep, error } = step ?? {};
  if (!step || !sweep || chunk === undefined) return;
  if (!(error || phase === 'settle' || isLeftAt(state, plan, path))) return step.status === 'running' ? sendAgain(step, chunk) : undefined;
  const others = (chunks: number[] = []): number[] => chunks.filter((each) => each !== chunk);
  const again = error && phase === 'chunk' && !isLeftAt(state, plan, path) && becomes(placeOf(plan, path).planned, step, error) === 'again';
  if (sweep.redo || again) sweep.redo = again ? [...others(sweep.redo), chunk] : others(sweep.redo);
  if (!again) sweep.unsettled = phase === 'settle' ? others(sweep.unsettled) : [...others(sweep.unsettled), chunk];
}

function ended(state: State, key: string, result: Json, world: World): void {
  const { step: path, phase, chunk } = parseKey(key);
  if (phase === 'inspect') {
    state.sources = result as NonNullable<State['sources']>;
    return;
  }
  if (phase === 'outputs') {
    const outputs = result as { [name: string]: Json };
    const turn = openTurn(state, blockOf(world.plan, path));
    if (turn) turn.row = outputs;
    else if (path === '') state.outputs = outputs;
    return;
  }
  // Of the run that takes this one back its report is all.
  if (path === '') return;
  const step = state.steps[path]!;
  const finished = (output: Json): void => {
    step.output = output;
    if (step.status === 'running') end(step, 'done', world.now);
  };
  const { block, planned } = placeOf(world.plan, path);
  switch (phase) {
    case 'when':
      if (!open(step) || isLeft(state, block, planned.id)) return;
      failingStep(state, block, planned, world, 'when', () => takeWhen(step, result, world));
      return goOn(state, block, planned, step, world);
    case 'input':
      // Of a step that is over, or left: nothing waits for a decision any more.
      if (!open(step) || isLeft(state, block, planned.id)) return;
      return failingStep(state, block, planned, world, 'with', () => takeInput(state, planned, step, result, world));
    case 'prepare': {
      const { chunks, items, unit, state: prepared, counts } = result as SweepPrepared<Json>;
      step.sweep = { chunks, next: 0, acknowledged: 0, items, ...(unit === undefined ? {} : { unit }), state: prepared ?? null };
      step.counts = counts ?? {};
      return;
    }
    case 'settle':
      unsettle(state, key, world);
      return addCounts(step, result);
    case 'chunk': {
      const { [partCount]: part, ...counts } = result as { [name: string]: number };
      if (part && isContinued(planned, step) && !isLeft(state, block, planned.id)) return sendAgain(step, chunk!);
      // Of a step that was cancelled it may be a part of the chunk.
      if (step.status === 'running') step.sweep!.acknowledged++;
      if (step.sweep!.redo) step.sweep!.redo = step.sweep!.redo.filter((each) => each !== chunk);
      return addCounts(step, counts);
    }
    case 'items':
      return takePage(step, result as ItemsPage);
    case 'collect':
      return takeKept(step);
    case 'child':
      takeChild(step, planned, world);
      return finished(result);
    case 'finish': {
      const { output, counts } = finishedOf(result);
      addCounts(step, counts);
      return finished(output);
    }
    case 'gather':
      return finished(result);
    case 'main':
      if (planned.kind === 'call') return finished(result);
      return polled(step, result, finished);
    case 'check':
      return polled(step, result, finished);
    case 'retry':
      if (!isLeft(state, block, planned.id)) beginRetry(step);
      return;
    case 'expire':
      fail(state, world, { step: path, type: 'Expired', message: 'nobody decided in time' });
  }
}

function addCounts(step: StepState, counts: Json): void {
  for (const [name, value] of Object.entries(counts as { [name: string]: number })) step.counts![name] = (step.counts![name] ?? 0) + value;
}

function polled(step: StepState, result: Json, finished: (output: Json) => void): void {
  const answer = result as { done: true; output: Json } | { done: false; token: Json };
  if (answer.done) finished(answer.output);
  else step.token = answer.token;
}
