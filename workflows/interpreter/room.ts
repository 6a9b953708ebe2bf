import { inlineLimit } from '../../pipelines/kept.ts';
import { placeOf } from './block.ts';
import { parseKey, type Command, type Phase, type Room, type State, type World } from './state.ts';

/** Characters of arguments that are sent before the server is known to have them: it takes 4 MiB in an answer, and ends the run that sends more. */
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

const charsOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length);

/** Those that can be sent now, in their order; the rest is wanted again when something has ended, or there is room. Takes the room of each. */
export function withRoom(commands: readonly Command[], state: State, world: World): Command[] {
  if (commands.length === 0) return [];
  const { room = newRoom() } = world;
  const under = { work: 0, waits: 0 };
  for (const key of state.inflight) under[kindOf(key)]++;
  const sources = charsOf(state.sources);
  // What is longer than all the room is sent alone.
  let isWhole = room.left === taskRoom;
  return commands.filter((command) => {
    const kind = kindOf(command.key);
    if (under[kind] >= most[kind]) return false;
    // Thousands may be held back, at every event: what stands behind the first is no more urgent, and is not measured.
    if (room.short) return false;
    const chars = around + argumentsOf(command, state, world, sources);
    room.short = chars > room.left && !isWhole;
    if (room.short) return false;
    isWhole = false;
    under[kind]++;
    room.left -= chars;
    return true;
  });
}

function argumentsOf(command: Command, { steps }: State, { plan }: World, sources: number): number {
  // What it reads stands beside it, of each step at most what is not kept.
  if (command.do === 'evaluate') return charsOf(command.tree) + 2 * inlineLimit;
  if (command.do === 'collect') return charsOf(command.rows);
  if (command.do === 'child') {
    if (command.attach || command.step === '') return 0;
    const { version } = placeOf(plan, command.step).planned;
    return charsOf(plan.pipelines?.[String(version)]) + charsOf(steps[command.step]?.input);
  }
  if (command.do !== 'activity') return 0;
  const { input, sweep, token, counts } = steps[command.step]!;
  return sources + charsOf(input) + charsOf(sweep?.state) + charsOf(token) + charsOf(counts);
}
