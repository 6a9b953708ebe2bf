import { apply } from './apply.ts';
import { isOpen, newChild } from './children.ts';
import { abandon, close, typeOf } from './ends.ts';
import { advance, allEnded, commandsOf, conclude } from './proceed.ts';
import type { Command, Event, State, World } from './state.ts';
import { beginUndo } from './undo.ts';

/**
 * The interpreter: one event in, commands out. It changes the state and the room that it is given and touches nothing else, so
 * that a run is the same however often it is replayed. Knows kinds, never step types. A command is recorded as under
 * way only when all of them are returned: what is under way has been sent.
 */
export function reduce(state: State, event: Event, world: World, draining: boolean): Command[] {
  try {
    apply(state, event, world);
    // What fails, or is given up, ends steps that others above have waited for.
    while ((!draining && advance(state, world)) || close(state, world));
    conclude(state, world);
    beginUndo(state, world, allEnded(state));
    const commands = commandsOf(state, world, draining);
    record(state, commands, world);
    return commands;
  } catch (error) {
    // Nothing may escape into the workflow task: it would be retried for ever.
    abandon(state, world, { type: typeOf(error), message: String(error instanceof Error ? error.message : error) });
    return [];
  }
}

function record(state: State, commands: readonly Command[], world: World): void {
  for (const command of commands) {
    state.inflight.push(command.key);
    if (command.do === 'child') {
      if (command.step === '') state.undo!.begun = true;
      else state.steps[command.step]!.child ??= newChild(state.steps[command.step]!, command.step, world);
    }
    if (command.do !== 'activity' || command.phase !== 'chunk') continue;
    const sweep = state.steps[command.step]!.sweep!;
    // One that is sent again has been counted.
    if (command.chunk === sweep.next) sweep.next++;
  }
}

/** True when nothing is under way and the run has its outputs, or has failed or was cancelled, every step has ended, and it was taken back. */
export const hasEnded = (state: State): boolean =>
  state.inflight.length === 0 &&
  !isOpen(state.undo) &&
  (state.outputs !== undefined || ((state.cancelled || state.error !== undefined) && allEnded(state)));
