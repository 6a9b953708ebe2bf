import { inlineLimit } from '../../pipelines/kept.ts';
import { placeOf } from './block.ts';
import { parseKey, type Command, type Phase, type State, type World } from './state.ts';

/** Characters of arguments that one workflow task sends: the server takes 4 MiB in an answer, and ends the run that sends more. */
export const taskRoom = 2_000_000;

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

/** Those that can be sent now, in their order; the rest is wanted again when something has ended. Of what is next one is sent at least. */
export function withRoom(commands: readonly Command[], state: State, world: World): Command[] {
  if (commands.length === 0) return [];
  const under = { work: 0, waits: 0 };
  for (const key of state.inflight) under[kindOf(key)]++;
  const sources = charsOf(state.sources);
  let { room = taskRoom } = world;
  const isAll = room === taskRoom || state.inflight.length === 0;
  return commands.filter((command, at) => {
    const kind = kindOf(command.key);
    // Thousands may be held back, at every event: what has no room is not measured.
    const isNext = at === 0 && isAll;
    if (under[kind] >= most[kind] || (room <= 0 && !isNext)) return false;
    const chars = around + argumentsOf(command, state, world, sources);
    if (chars > room && !isNext) {
      // What stands behind it is no more urgent.
      room = 0;
      return false;
    }
    under[kind]++;
    room -= chars;
    return true;
  });
}

/** How much of the room of a task these take. */
export function roomOf(commands: readonly Command[], state: State, world: World): number {
  const sources = commands.length === 0 ? 0 : charsOf(state.sources);
  return commands.reduce((sum, command) => sum + around + argumentsOf(command, state, world, sources), 0);
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
