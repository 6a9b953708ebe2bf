import { usedBy } from '../../pipelines/instantiate.ts';
import { argumentsOf } from './arguments.ts';
import { placeOf } from './block.ts';
import { bytesOf } from './bytes-of.ts';
import { parseKey, type Command, type Phase, type Room, type State, type World } from './state.ts';

/** Bytes of arguments that are sent before the server is known to have them: it takes 4 MiB in an answer, and ends the run that sends more. */
export const taskRoom = 2_000_000;

export const newRoom = (): Room => ({ left: taskRoom, short: false });

/**
 * Most commands under way. The server has 2,000 activities of a run under way, and the end of each costs the longer the more steps there
 * are: those that ended together must be seen to in the time of one task. What only waits counts by itself, or gates would hold up work.
 */
const most = { work: 200, waits: 1_500 } as const;

const waiting = new Set<Phase>(['check', 'expire', 'retry', 'child']);

const kindOf = (key: string): keyof typeof most => (waiting.has(parseKey(key).phase) ? 'waits' : 'work');

/** Ids, timeouts and all else that comes with the arguments of a command. */
const around = 1_000;

/** Those that can be sent now, in their order; the rest is wanted again when something has ended, or there is room. Takes the room of each. */
export function withRoom(commands: readonly Command[], state: State, world: World): Command[] {
  if (commands.length === 0) return [];
  const { room = newRoom() } = world;
  const under = { work: 0, waits: 0 };
  for (const key of state.inflight) under[kindOf(key)]++;
  return commands.filter((command) => {
    const kind = kindOf(command.key);
    if (under[kind] >= most[kind]) return false;
    // Thousands may be held back, at every event: what stands behind one that has no room is no more urgent, and is not measured.
    if (room.short) return false;
    const size = sizeOf(command, state, world);
    // What is longer than all the room is sent alone.
    room.short = size > room.left && room.left < taskRoom;
    if (room.short) return false;
    under[kind]++;
    room.left -= size;
    return true;
  });
}

function sizeOf(command: Command, state: State, world: World): number {
  if (command.do === 'timer') return around;
  if (command.do !== 'child') return around + bytesOf(argumentsOf(command, state, world));
  if (command.attach || command.step === '') return around;
  const { plan } = world;
  return around + bytesOf([usedBy([placeOf(plan, command.step).planned], plan.pipelines), state.steps[command.step]?.input]);
}
