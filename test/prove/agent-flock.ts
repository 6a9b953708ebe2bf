import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStack, type Stack } from '../support/stack.ts';
import { line, type Proof } from './proof.ts';
import { agentPipeline, liftLimits, own, writeNotes } from './support-agents.ts';
import { createBundle } from './support-bundle.ts';
import { heapEnv, heapMb } from './support-memory.ts';
import { startText } from './support-run.ts';

/** Seconds of a turn, at most, on the clock of the service, which is moved by `step` for each second of the machine. */
const longest = 600;
const step = 15;

/** Real seconds between two looks. */
const every = 2;

/** Of what the worker holds, garbage not counted: 10,000 agents as a list shows them are some of it. */
const mostGrowthMb = 30;

type Seen = { seconds: number; lists: number; requests: number; events: number; heapMb: { first: number; last: number }; done: number };

/** Runs so many agents to their end, and counts what that took. */
async function flock(stack: Stack, heapFile: string, name: string, items: number, more: object): Promise<Seen> {
  const { control } = stack;
  const before = (await control.requests()).rows.length;
  const run = await startText(stack, agentPipeline(await writeNotes(stack, name, items), { everySeconds: every, ...more }), {}, own);
  const started = performance.now();
  const over = run.ended(3_600_000);
  let offset = 0;
  let first = 0;
  let ended = false;
  const view = over.finally(() => (ended = true));
  // Lets the time of the agents pass; the memory is looked at first once a tenth of them has been launched.
  while (!ended) {
    await Promise.race([sleep(1_000), view]);
    const { rows } = await control.journal();
    const launched = rows.filter(({ operation }) => operation === 'instance.agents.launch').length;
    if (launched >= items / 10 && first === 0) first = await heapMb(stack.worker.pid(), heapFile);
    if (launched >= items / 2) await control.clock((offset += step));
  }
  const { outputs, state, error } = await view;
  if (state !== 'done') throw new Error(`the run ended ${state}: ${error?.message}`);
  const rows = (await control.requests()).rows.slice(before);
  const { historyLength } = await run.handle.describe();
  return {
    seconds: (performance.now() - started) / 1_000,
    lists: rows.filter(({ operation }) => operation === 'instance.agents.list').length,
    requests: rows.length,
    events: historyLength,
    heapMb: { first, last: await heapMb(stack.worker.pid(), heapFile) },
    done: (outputs as { statuses: { done?: number } }).statuses.done ?? 0,
  };
}

export const proof: Proof = {
  name: 'agent-flock',
  sets: ['agents'],
  what: `10,000 agents whose turns take 0 to ${longest} s of the service’s clock: one list call for a hundred of them and look, a few requests and a fraction of an event for each, flat memory`,
  async run({ note, rounds, short }) {
    const items = short ? 200 : 10_000 * rounds;
    await using bundle = await createBundle();
    const dir = await mkdtemp(join(tmpdir(), 'portolan-flock-'));
    const heapFile = join(dir, 'heap');
    await using stack = await createStack({ bundle: bundle.path, env: heapEnv(heapFile) });
    await liftLimits(stack);
    await stack.control.agents({ pace: { from: 0, to: longest } });
    const seen = await flock(stack, heapFile, 'flock', items, {});
    const looks = seen.seconds / every + 1;
    // A page for a hundred agents of each of three statuses, whose last one is not full; and the list before the first launch.
    const mostLists = Math.ceil(looks * (items / 100 + 3)) + 1;
    note(
      `${items} agents in ${seen.seconds.toFixed(0)} s: ${seen.requests} requests, ${seen.lists} of them lists, ${seen.events} events, the worker held ${seen.heapMb.first.toFixed(0)} MB and then ${seen.heapMb.last.toFixed(0)} MB`,
    );
    // With a cap each look asks for the usage of each agent: what a client does that asks for each by itself.
    const few = Math.min(100, items / 2);
    await stack.control.clock(0);
    const asked = await flock(stack, heapFile, 'asked', few, { cap: { item: 1 } });
    await rm(dir, { recursive: true });
    const growthMb = seen.heapMb.last - seen.heapMb.first;
    return [
      line('agents done', `${seen.done} of ${items}`, `${items}`, seen.done === items),
      line('list calls', seen.lists, `≤ ${mostLists}: one for a hundred agents and look`, seen.lists <= mostLists),
      line('requests of an agent, all in all', (seen.requests / items).toFixed(1), '≤ 8', seen.requests / items <= 8),
      line('events of an agent', (seen.events / items).toFixed(2), '≤ 12', seen.events / items <= 12),
      line(
        'what the worker holds, since a tenth was launched',
        `+ ${growthMb.toFixed(1)} MB`,
        `≤ ${mostGrowthMb}`,
        growthMb <= mostGrowthMb,
      ),
      line(
        'control, each agent asked for by itself: requests of an agent',
        (asked.requests / few).toFixed(1),
        '> 8',
        asked.requests / few > 8,
      ),
    ];
  },
};
